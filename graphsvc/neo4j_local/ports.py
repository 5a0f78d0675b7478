"""Two loopback ports a home, chosen once and remembered, so that addresses in other tools stay good."""

import json
import socket
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path

from graphsvc.neo4j_local.errors import PortTaken

LOOPBACK = "127.0.0.1"


@dataclass(frozen=True)
class Ports:
    """Where one Neo4j listens on loopback."""

    bolt: int
    http: int


def choose_ports(remembered: Path, bolt: int | None, http: int | None) -> Ports:
    """The ports to listen on: those asked for, else those in the file `remembered`, else free ones. Remembers them.

    Raises `PortTaken` when a port asked for by number is taken; a remembered one that is taken is chosen anew.
    """
    for name, port in (("Bolt", bolt), ("HTTP", http)):
        if port and not is_free(port):
            raise PortTaken(f"Port {port}, asked for as Neo4j's {name} port, is taken by another process")
    last = read_ports(remembered)
    fresh = free_ports()
    ports = Ports(
        bolt=bolt or (last.bolt if last and is_free(last.bolt) else fresh.bolt),
        http=http or (last.http if last and is_free(last.http) else fresh.http),
    )
    remembered.write_text(json.dumps(asdict(ports)))
    return ports


def read_ports(remembered: Path) -> Ports | None:
    """What `choose_ports` wrote, or None."""
    try:
        return Ports(**json.loads(remembered.read_text()))
    except (OSError, ValueError, TypeError):
        return None


def is_free(port: int) -> bool:
    """Whether a server could listen on a loopback port now."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return False
        return True


def free_ports() -> Ports:
    """Two different free ports, from the system."""
    with ExitStack() as held:
        probes = [held.enter_context(socket.socket()) for _ in range(2)]
        for probe in probes:
            probe.bind((LOOPBACK, 0))
        return Ports(*(probe.getsockname()[1] for probe in probes))
