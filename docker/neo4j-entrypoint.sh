#!/usr/bin/env bash
# Starts Neo4j with /data, its password from NEO4J_AUTH (neo4j/PASSWORD) or the file NEO4J_AUTH_FILE.
set -euo pipefail
home=/var/lib/neo4j
heap=${NEO4J_server_memory_heap_max__size:-512m}
auth=${NEO4J_AUTH:-}
[ -z "${NEO4J_AUTH_FILE:-}" ] || auth=$(< "$NEO4J_AUTH_FILE")
unset NEO4J_AUTH

mkdir -p "$home/conf"
cat > "$home/conf/neo4j.conf" << CONF
server.default_listen_address=0.0.0.0
server.directories.data=/data
server.directories.logs=/logs
server.https.enabled=false
server.http_enabled_modules=BROWSER
server.memory.pagecache.size=${NEO4J_server_memory_pagecache_size:-256m}
db.transaction.timeout=30s
db.memory.transaction.max=256m
db.temporal.timezone=UTC
dbms.usage_report.enabled=false
client.allow_telemetry=false
CONF

java=(-XX:+UseSerialGC -XX:-UsePerfData --add-opens=java.base/java.nio=ALL-UNNAMED
  --add-opens=java.base/java.io=ALL-UNNAMED --add-opens=java.base/sun.nio.ch=ALL-UNNAMED
  --enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow -cp "/opt/neo4j/lib/*")
if [ -n "$auth" ] && [ ! -d /data/databases ]; then
  # Java reads its arguments from the file itself: the password is in no process list.
  (umask 077 && printf '"%s"\n' "${java[@]}" org.neo4j.cli.AdminTool dbms set-initial-password "${auth#*/}" > "$home/admin.args")
  NEO4J_HOME=$home NEO4J_CONF=$home/conf /opt/neo4j/java/bin/java -Xmx128m "@$home/admin.args" > /dev/null
  rm "$home/admin.args"
fi
exec /opt/neo4j/java/bin/java "${java[@]}" "-Xms$heap" "-Xmx$heap" -XX:+ExitOnOutOfMemoryError \
  org.neo4j.server.CommunityEntryPoint "--home-dir=$home" "--config-dir=$home/conf" --console-mode
