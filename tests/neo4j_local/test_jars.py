"""Goal: Neo4j's jars are exactly the pinned ones, whatever happened to the cache or the network on the way.

Method: a Maven repository on loopback serves the real jars of this machine's cache and misbehaves when told to (jgo
takes it from its own configuration file, as it would a company's mirror). A lock of a few small entries keeps it quick.
"""

import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from graphsvc.neo4j_local import download
from graphsvc.neo4j_local.errors import JarsUnavailable
from graphsvc.neo4j_local.jars import LOCK_PATH, read_lock, resolve_jars, wanting
from graphsvc.neo4j_local.relock import ROOTS
from graphsvc.settings import Settings

NAMES = ("annotations", "neo4j-unsafe", "neo4j-capabilities")


@dataclass
class Mirror:
    """What the repository was asked for, and how it is to misbehave."""

    source: Path
    asked: Counter[str] = field(default_factory=Counter)
    failures_left: int = 0
    cut_short: bool = False

    def handler(mirror) -> type[BaseHTTPRequestHandler]:  # noqa: N805  the handler has a `self` of its own
        """The request handler of this mirror."""

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                path = mirror.source / self.path.lstrip("/")
                mirror.asked[path.name] += 1
                if mirror.failures_left:
                    mirror.failures_left -= 1
                    self.send_error(503)
                elif not path.is_file():
                    self.send_error(404)
                else:
                    content = path.read_bytes()
                    self.send_response(200)
                    self.send_header("Content-Length", str(len(content)))
                    self.end_headers()
                    self.wfile.write(content[: len(content) // 2] if mirror.cut_short else content)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                """Quiet."""

        return Handler


@pytest.fixture
def mirror(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Mirror]:
    """A repository on loopback in place of the public one."""
    cache = Settings().cache
    resolve_jars(cache)
    mirror = Mirror(cache / "jars")
    with ThreadingHTTPServer(("127.0.0.1", 0), mirror.handler()) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        config = tmp_path / "jgo.conf"
        config.write_text(f"[repositories]\ncentral = http://127.0.0.1:{server.server_port}\n")
        monkeypatch.setenv("JGO_CONFIG_FILE", str(config))
        monkeypatch.setattr(download, "RETRY_PAUSE_S", 0.01)
        yield mirror
        server.shutdown()
        thread.join()


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    """A lock of a few small entries of the real one."""
    path = tmp_path / "small.lock.toml"
    head, *entries = LOCK_PATH.read_text().split("[[dependencies]]")
    chosen = [entry for entry in entries if any(f'artifactId = "{name}"' in entry for name in NAMES)]
    path.write_text("[[dependencies]]".join([head, *chosen]))
    assert len(read_lock(path)) == len(NAMES)
    return path


def contents(paths: list[Path]) -> list[bytes]:
    return [path.read_bytes() for path in paths]


def test_lock_pins_the_roots_by_checksum_and_names_no_host() -> None:
    jars = read_lock()
    assert {f"{jar.group}:{jar.artifact}:{jar.version}" for jar in jars} >= set(ROOTS)
    assert all(len(bytes.fromhex(jar.sha256)) == 32 for jar in jars)
    assert len({jar.path for jar in jars}) == len(jars)
    text = LOCK_PATH.read_text()
    assert "://" not in text
    assert "maven.org" not in text


def test_cold_cache_is_filled_and_then_left_alone(mirror: Mirror, lock: Path, tmp_path: Path) -> None:
    paths = resolve_jars(tmp_path / "cache", lock)
    assert contents(paths) == contents([mirror.source / jar.path for jar in read_lock(lock)])
    asked = mirror.asked.total()
    assert resolve_jars(tmp_path / "cache", lock) == paths
    assert mirror.asked.total() == asked


@pytest.mark.parametrize("damage", ["truncated", "altered", "emptied", "gone"])
def test_damaged_jar_is_found_and_fetched_again_alone(
    mirror: Mirror, lock: Path, tmp_path: Path, damage: str
) -> None:
    paths = resolve_jars(tmp_path / "cache", lock)
    before = contents(paths)
    mirror.asked.clear()
    match damage:
        case "truncated":
            paths[1].write_bytes(before[1][:-100])
        case "altered":
            paths[1].write_bytes(before[1][:-1] + bytes([before[1][-1] ^ 1]))
        case "emptied":
            paths[1].write_bytes(b"")
        case "gone":
            paths[1].unlink()
    assert contents(resolve_jars(tmp_path / "cache", lock)) == before
    assert {name for name in mirror.asked if name.endswith(".jar")} == {paths[1].name}


def test_network_trouble_is_tried_again(mirror: Mirror, lock: Path, tmp_path: Path) -> None:
    mirror.failures_left = 2
    paths = resolve_jars(tmp_path / "cache", lock)
    assert wanting(read_lock(lock), tmp_path / "cache" / "jars") == []
    assert len(paths) == len(NAMES)


def test_half_an_answer_never_reaches_the_cache(mirror: Mirror, lock: Path, tmp_path: Path) -> None:
    mirror.cut_short = True
    with pytest.raises(JarsUnavailable, match=f"after {download.ATTEMPTS_MAX} tries"):
        resolve_jars(tmp_path / "cache", lock)
    assert [path for path in (tmp_path / "cache").rglob("*.jar") if path.is_file()] == []
    mirror.cut_short = False
    assert len(resolve_jars(tmp_path / "cache", lock)) == len(NAMES)


def test_jar_that_is_not_the_pinned_one_is_refused(mirror: Mirror, lock: Path, tmp_path: Path) -> None:
    pinned = read_lock(lock)[0].sha256
    lock.write_text(lock.read_text().replace(pinned, pinned[::-1]))
    with pytest.raises(JarsUnavailable, match="checksum"):
        resolve_jars(tmp_path / "cache", lock)


def test_what_a_killed_fetch_left_behind_is_cleared(mirror: Mirror, lock: Path, tmp_path: Path) -> None:
    left_behind = tmp_path / "cache" / "jars" / ".fetch-killed" / "org"
    left_behind.mkdir(parents=True)
    resolve_jars(tmp_path / "cache", lock)
    assert list((tmp_path / "cache" / "jars").glob(".fetch-*")) == []


def test_two_processes_on_one_cold_cache_fetch_each_jar_once(
    mirror: Mirror, lock: Path, tmp_path: Path
) -> None:
    code = (
        "import sys, pathlib; from graphsvc.neo4j_local.jars import resolve_jars;"
        "print(len(resolve_jars(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))))"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "cache"), str(lock)]
    both = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(2)
    ]
    answers = [process.communicate(timeout=60) for process in both]
    assert [out for out, _ in answers] == [f"{len(NAMES)}\n"] * 2, answers
    jars = {name: count for name, count in mirror.asked.items() if name.endswith(".jar")}
    assert jars == {jar.path.name: 1 for jar in read_lock(lock)}
