"""Goal: a home keeps its ports while it can, and no stranger's process is ever taken for the server.

Method: real sockets and real processes, without Neo4j.
"""

import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from graphsvc.neo4j_local import LocalNeo4j, process
from graphsvc.neo4j_local.errors import PortTaken
from graphsvc.neo4j_local.ports import LOOPBACK, Ports, choose_ports, free_ports, read_ports


@pytest.fixture
def taken() -> Iterator[int]:
    """A port on which somebody listens."""
    with socket.socket() as listener:
        listener.bind((LOOPBACK, 0))
        listener.listen()
        yield listener.getsockname()[1]


@pytest.fixture
def stranger() -> Iterator[psutil.Process]:
    """A process that is not Neo4j."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        yield psutil.Process(child.pid)
        child.kill()


def test_ports_are_remembered(tmp_path: Path) -> None:
    first = choose_ports(tmp_path / "ports.json", None, None)
    assert first.bolt != first.http
    assert choose_ports(tmp_path / "ports.json", None, None) == first


def test_zero_means_any_free_port(tmp_path: Path) -> None:
    ports = choose_ports(tmp_path / "ports.json", 0, 0)
    assert ports.bolt > 1024
    assert ports.http > 1024


def test_remembered_port_that_is_taken_is_chosen_anew(tmp_path: Path, taken: int) -> None:
    free = free_ports().http
    (tmp_path / "ports.json").write_text(json.dumps({"bolt": taken, "http": free}))
    ports = choose_ports(tmp_path / "ports.json", None, None)
    assert ports.bolt != taken
    assert ports.http == free
    assert read_ports(tmp_path / "ports.json") == ports


def test_port_asked_for_is_used_or_refused_never_replaced(tmp_path: Path, taken: int) -> None:
    free = free_ports()
    assert choose_ports(tmp_path / "ports.json", free.bolt, free.http) == free
    with pytest.raises(PortTaken, match=str(taken)):
        choose_ports(tmp_path / "ports.json", taken, None)


@pytest.mark.parametrize("content", ["", "{", "[]", '{"bolt": 1}', '{"bolt": 1, "http": 2, "https": 3}'])
def test_damaged_memory_of_ports_is_as_none(tmp_path: Path, content: str) -> None:
    (tmp_path / "ports.json").write_text(content)
    assert read_ports(tmp_path / "ports.json") is None
    assert isinstance(choose_ports(tmp_path / "ports.json", None, None), Ports)


def test_stale_process_file_with_a_reused_number_is_nobody(tmp_path: Path, stranger: psutil.Process) -> None:
    database = LocalNeo4j(tmp_path / "home", tmp_path / "cache")
    database.layout.root.mkdir(parents=True)
    process.remember(stranger, database.layout.process_file)
    assert database.status() is None
    assert not database.stop()
    assert stranger.is_running()
    assert stranger.status() != psutil.STATUS_ZOMBIE


@pytest.mark.parametrize("content", ["", "{", "[]", "7", '{"pid": 1}', '{"pid": 99999999, "started_at": 0}'])
def test_damaged_process_file_is_as_none(tmp_path: Path, content: str) -> None:
    (tmp_path / "process.json").write_text(content)
    assert process.find(tmp_path / "process.json", "@nowhere") is None


def test_process_is_known_by_its_mark_even_without_a_file(tmp_path: Path) -> None:
    mark = f"@{tmp_path}/server.args"
    command = [sys.executable, "-c", "import time; time.sleep(60)", mark]
    started = process.spawn(command, tmp_path, tmp_path / "log", {})
    try:
        assert process.find(tmp_path / "process.json", mark) == started
        assert process.find(tmp_path / "process.json", mark + "x") is None
        assert started.ppid() != psutil.Process().pid
    finally:
        assert process.end(started, 10)
    assert process.find(tmp_path / "process.json", mark) is None


def test_process_that_ignores_the_request_is_ended_by_force(tmp_path: Path) -> None:
    code = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); time.sleep(60)"
    started = process.spawn([sys.executable, "-c", code, "@here"], tmp_path, tmp_path / "log", {})
    while "up" not in (tmp_path / "log").read_text():
        assert started.is_running()
        time.sleep(0.05)
    assert not process.end(started, 0.2)
    assert not process.is_server(started, "@here")
