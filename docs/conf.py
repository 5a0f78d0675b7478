"""How Sphinx makes a site of these pages: `make site`."""

project = "graphsvc"
html_title = "graphsvc"
extensions = ["myst_parser"]

myst_heading_anchors = 3
html_theme = "furo"
html_show_sphinx = False
html_show_copyright = False
exclude_patterns = ["generate.py"]
# Source files outside this folder are linked to for readers of the repository; the site has no page of theirs.
suppress_warnings = ["myst.xref_missing"]
