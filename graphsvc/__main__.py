"""`python -m graphsvc` is the command line."""

from graphsvc.cli import main

main()
