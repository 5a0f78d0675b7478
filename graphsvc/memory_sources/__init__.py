"""Reading Markdown memories of a repository: the same tree gives the same report everywhere (spec 06).

`config` says what is read, `files` reads it and nothing else, `note` finds the fact of one file, `candidates`
makes the list, `supports` links it to entities by exact evidence, `freshness` looks at old links again, and
`report` and `draft` say it. Nothing here writes anything.
"""
