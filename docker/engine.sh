#!/usr/bin/env bash
# Brings up a container engine where none answers, and the base image where it cannot be pulled. For Debian, as root.
#
#   docker/engine.sh          # engine, base image, the two images of this project
#   docker/engine.sh stop     # stop the engine that this script started
#
# The engine touches no firewall rule and needs no kernel module: it runs inside a sandbox, too. A machine that has an
# engine keeps it; nothing is installed there.
set -euo pipefail
cd "$(dirname "$0")/.."

ENGINE_HOME=${ENGINE_HOME:-/var/lib/graphsvc-engine}
PYTHON_IMAGE=${PYTHON_IMAGE:-python:3.11-slim-bookworm}
GRAPHSVC_IMAGE=${GRAPHSVC_IMAGE:-graphsvc:latest}
NEO4J_LOCAL_IMAGE=${NEO4J_LOCAL_IMAGE:-graphsvc-neo4j:latest}
PID_FILE=$ENGINE_HOME/dockerd.pid

answers() { timeout 20 docker version --format '{{.Server.Version}}' > /dev/null 2>&1; }

if [ "${1:-}" = stop ]; then
  if [ -f "$PID_FILE" ]; then
    kill "$(cat "$PID_FILE")"
    while [ -f "$PID_FILE" ]; do sleep 0.2; done
  fi
  exit
fi

need() { # need COMMAND PACKAGE…
  command -v "$1" > /dev/null && return
  shift
  echo "Installing $*"
  [ -n "${APT_READY:-}" ] || apt-get update -qq
  APT_READY=1
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" > /dev/null
}

if ! answers; then
  need dockerd docker.io
  mkdir -p "$ENGINE_HOME"
  nohup dockerd --iptables=false --ip6tables=false --data-root "$ENGINE_HOME/data" \
    --pidfile "$PID_FILE" > "$ENGINE_HOME/dockerd.log" 2>&1 &
  for _ in $(seq 120); do answers && break; sleep 0.5; done
  answers || { tail -20 "$ENGINE_HOME/dockerd.log" >&2; exit 1; }
fi
docker compose version > /dev/null 2>&1 || need docker-compose docker-compose

if ! docker image inspect "$PYTHON_IMAGE" > /dev/null 2>&1 && ! timeout 60 docker pull -q "$PYTHON_IMAGE"; then
  need debootstrap debootstrap
  echo "Making $PYTHON_IMAGE from Debian's packages"
  root=$(mktemp -d)
  debootstrap --variant=minbase --include=python3,python3-venv,ca-certificates bookworm "$root" > "$root.log" 2>&1 ||
    { tail -20 "$root.log" >&2; exit 1; }
  rm -rf "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/* "$root"/usr/share/doc "$root"/usr/share/man
  tar -C "$root" -c . | docker import - "$PYTHON_IMAGE" > /dev/null
  rm -rf "$root" "$root.log"
fi

# The classic builder: it needs nothing that is not on the machine.
build() {
  local log
  log=$(mktemp)
  DOCKER_BUILDKIT=0 docker build --network host --build-arg PYTHON_IMAGE="$PYTHON_IMAGE" \
    --build-arg GRAPHSVC_IMAGE="$GRAPHSVC_IMAGE" "$@" . > "$log" 2>&1 || { tail -30 "$log" >&2; exit 1; }
  rm "$log"
}
build -t "$GRAPHSVC_IMAGE" -f docker/Dockerfile
build -t "$NEO4J_LOCAL_IMAGE" -f docker/Dockerfile.neo4j
