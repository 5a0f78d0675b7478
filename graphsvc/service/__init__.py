"""One use-case a function: takes a Call and a request, returns the answer as plain data."""
