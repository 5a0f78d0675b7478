#!/bin/sh
# Loads the demo world into the database that graphsvc is configured for. Options go to `graphsvc load`, for example
# --dry-run. GRAPHSVC names another executable.
set -eu
exec "${GRAPHSVC:-graphsvc}" load "$(dirname "$0")/demo.jsonl" "$@"
