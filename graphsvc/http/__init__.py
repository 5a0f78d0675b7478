"""HTTP: thin doors to the use-cases. Nothing here decides who sees what (spec 09)."""
