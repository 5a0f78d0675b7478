#!/usr/bin/env bash
# Makes the passwords of docker/compose.yaml in a folder, unless they are there: docker/secrets.sh [FOLDER]
set -euo pipefail
folder=${1:-$(dirname "$0")/secrets}
[ ! -e "$folder/neo4j_auth" ] || exit 0
mkdir -p "$folder"
chmod 700 "$folder"
password=$(python3 -c 'import secrets; print(secrets.token_urlsafe(24))')
# Read in the containers by users without a name here; the folder keeps others on this machine out.
printf 'neo4j/%s' "$password" > "$folder/neo4j_auth"
printf '%s' "$password" > "$folder/neo4j_password"
chmod 644 "$folder/neo4j_auth" "$folder/neo4j_password"
