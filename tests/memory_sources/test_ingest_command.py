"""`graphsvc ingest` as a process: the same bytes everywhere, exit codes, and that it writes nothing.

Method: the command runs in processes of its own over copies of one tree, made in different orders, under
different locales, time zones, hash seeds and file system encodings; 51 real rules are read where the checkout
has them beside it.
"""

import contextlib
import hashlib
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import typer
from click.testing import Result
from typer.testing import CliRunner

from graphsvc.cli.ingest import ingest_command
from graphsvc.memory_sources import report
from graphsvc.memory_sources.candidates import ingest
from graphsvc.memory_sources.config import MemoryConfig
from graphsvc.memory_sources.note import read_note
from graphsvc.memory_sources.supports import Coverage, Owner, Support, relate
from tests.memory_sources.support import write_tree

CHECKOUT = Path(__file__).parents[2]
REAL_RULES = next(
    (top for top in (CHECKOUT.parent / "shared/data/cursor-rules-repo", CHECKOUT / "shared/data/cursor-rules-repo")
     if top.is_dir()),
    None,
)  # fmt: skip
APP = typer.Typer()
APP.command()(ingest_command)
RUN = "import typer; from graphsvc.cli.ingest import ingest_command; typer.run(ingest_command)"

MACHINES: list[dict[str, str]] = [
    {"LC_ALL": "C.UTF-8", "TZ": "UTC", "PYTHONHASHSEED": "0"},
    {"LC_ALL": "C", "TZ": "Asia/Tokyo", "PYTHONHASHSEED": "1", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    {"LC_ALL": "POSIX", "TZ": "America/St_Johns", "PYTHONHASHSEED": "77", "COLUMNS": "20", "NO_COLOR": "1"},
    {"LC_ALL": "tr_TR.UTF-8", "LANGUAGE": "de", "TZ": "Pacific/Kiritimati", "PYTHONIOENCODING": "utf-16"},
]
"""What two machines may differ in. The second one spells file names in ASCII."""

FILES: dict[str, str | bytes] = {
    ".agent-memory/b.md": "Acme Print offers same-day turnaround.",
    ".agent-memory/a.md": "# Titel größer\n\nFact with „quotes“ 🏭 and\u2028separators.",
    ".agent-memory/größe 尺寸.md": "Named.",
    ".agent-memory/a/z.mdx": "Deep.",
    ".agent-memory/a-z.md": "Dash.",
    ".agent-memory/Ä.md": "Umlaut.",
    ".agent-memory/I.md": "Capital i.",
    ".agent-memory/ı.md": "Dotless i.",
    ".agent-memory/old.md": "---\ndiscard: true\n---\nOld.",
    ".agent-memory/unsafe.md": "password: hunter22",
    ".agent-memory/latin.md": b"\xff",
    ".cursor/rules/rule.mdc": "---\nglobs: **/*\n---\n- Use words.\n",
}


@pytest.fixture(autouse=True)
def _no_graph_at_hand(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A home of its own, in which no database runs."""
    monkeypatch.setenv("GRAPHSVC_HOME", str(tmp_path / "home-of-the-test"))


def run_elsewhere(
    repository: Path, *arguments: str, **environment: str
) -> subprocess.CompletedProcess[bytes]:
    """The command as a process with an environment of its own."""
    base = {"PATH": os.environ["PATH"], "PYTHONPATH": str(CHECKOUT)}
    return subprocess.run(
        [sys.executable, "-c", RUN, "--repo", str(repository), *arguments],
        env={**base, **environment},
        cwd=repository,
        capture_output=True,
        timeout=120,
        check=False,
    )


def run(repository: Path, *arguments: str) -> Result:
    """The command in this process, as if started in the repository."""
    with contextlib.chdir(repository):
        return CliRunner().invoke(APP, ["--repo", str(repository), *arguments])


def copies(files: dict[str, bytes], top: Path) -> list[Path]:
    """The tree once for every machine, made in another order each time."""
    shuffled = sorted(files, key=lambda path: hashlib.sha256(path.encode()).digest())
    orders = [list(files), list(reversed(files)), sorted(files), shuffled]
    return [
        write_tree(top / str(number) / "handbook", {path: files[path] for path in order})
        for number, order in enumerate(orders)
    ]


def digest(top: Path) -> dict[str, tuple[str, float]]:
    """Every file's hash and time."""
    return {
        str(path.relative_to(top)): (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime)
        for path in sorted(top.rglob("*"))
        if path.is_file()
    }


@pytest.mark.parametrize(
    ("form", "machines"),
    [(["--json"], MACHINES), ([], MACHINES[:2]), (["--draft"], MACHINES[1:3])],
    ids=["json", "lines", "draft"],
)
def test_the_same_tree_gives_the_same_bytes_on_every_machine(
    tmp_path: Path, form: list[str], machines: list[dict[str, str]]
) -> None:
    files = {
        path: content.encode() if isinstance(content, str) else content for path, content in FILES.items()
    }
    answers = []
    for copy, machine in zip(copies(files, tmp_path), machines, strict=False):
        done = run_elsewhere(copy, *form, **machine)
        assert (done.returncode, done.stderr) == (0, b"")
        answers.append(done.stdout)
    assert len(set(answers)) == 1
    assert b"hunter" not in answers[0]


def test_the_report_accounts_for_every_file(tmp_path: Path) -> None:
    write_tree(tmp_path, FILES)
    found = json.loads(run(tmp_path, "--json").stdout)
    assert {entry["path"] for entry in [*found["candidates"], *found["unread"]]} == set(FILES)
    assert found["counts"] == {"candidate": 9, "discarded": 1, "unsafe": 1, "unread": 1}
    assert found["sources"] == [
        {"adapter": "playbook-memory", "directory": ".agent-memory"},
        {"adapter": "cursor-rules", "directory": ".cursor/rules"},
    ]


@pytest.mark.skipif(REAL_RULES is None, reason="no shared/data/cursor-rules-repo beside the checkout")
def test_real_rules_give_the_same_bytes_on_every_machine(tmp_path: Path) -> None:
    assert REAL_RULES is not None
    files = {
        str(path.relative_to(REAL_RULES)): path.read_bytes()
        for path in REAL_RULES.rglob("*")
        if path.is_file()
    }
    pairs = zip(copies(files, tmp_path), MACHINES, strict=True)
    answers = [run_elsewhere(copy, "--json", **machine).stdout for copy, machine in list(pairs)[1:3]]
    assert len(set(answers)) == 1
    found = json.loads(answers[0])
    assert [entry["path"] for entry in found["candidates"]] == sorted(files)
    assert len(found["candidates"]) == 51
    assert found["unread"] == []
    statuses = Counter(entry["status"] for entry in found["candidates"])
    assert statuses == {"candidate": 51}
    assert [entry["findings"] for entry in found["candidates"]] == [[]] * 51, (
        "example.com and placeholders only"
    )
    for entry in found["candidates"]:
        assert (read_note(files[entry["path"]].decode()).fact or Path(entry["path"]).stem) == entry["fact"]
        assert entry["fact_sha256"] == hashlib.sha256(entry["fact"].encode()).hexdigest()


def test_the_option_changes_nothing_while_it_is_off(tmp_path: Path) -> None:
    write_tree(tmp_path, FILES)
    plain = run(tmp_path, "--json").stdout
    (tmp_path / "graphsvc.toml").write_text("[memory]\nknowledge_entities = false\n")
    assert run(tmp_path, "--json").stdout == plain
    (tmp_path / "graphsvc.toml").write_text("[memory]\nknowledge_entities = true\n")
    opted_in = json.loads(run(tmp_path, "--json").stdout)
    assert opted_in.pop("coverage") == [
        {
            "analyzer": "memory-entities",
            "version": "1",
            "scope": "memory",
            "status": "not-analyzed",
            "reason": "no graph is at hand",
        }
    ]
    assert opted_in == json.loads(plain), "none of the fields that were there before has changed"


def test_a_captured_build_reads_no_note(tmp_path: Path) -> None:
    write_tree(tmp_path, FILES)
    (tmp_path / ".agent-memory/out.md").symlink_to("/etc/passwd")  # would be an error if it were looked at
    found = json.loads(run(tmp_path, "--captured", "--json").stdout)
    assert (found["candidates"], found["unread"]) == ([], [])
    assert [(entry["status"], entry["reason"]) for entry in found["coverage"]] == [
        ("not-analyzed", "captured build: local notes are not read")
    ]


def test_nothing_is_written(tmp_path: Path) -> None:
    write_tree(tmp_path, FILES)
    before = digest(tmp_path)
    for form in (["--json"], [], ["--draft"], ["--captured"], ["--write"], ["--check"]):
        run(tmp_path, *form)
    assert digest(tmp_path) == before


def test_a_draft_is_a_request_for_a_person(tmp_path: Path) -> None:
    write_tree(tmp_path, FILES)
    done = run(tmp_path, "--draft", "--scope", "project:atlas")
    draft: dict[str, Any] = json.loads(done.stdout)
    assert draft["scope"] == "project:atlas"
    assert len(draft["claims"]) == 9
    assert "Old." not in done.stdout


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ('adapters = ["session"]', "adapter 'session' is not supported"),
        ('ingest_dir = "../x"', "must be a relative path that stays inside"),
        ('ingest_dir = "leaves"', "leaves: a link that leaves the repository"),
    ],
)
def test_what_must_not_be_ends_with_a_message_and_exit_code_1(
    tmp_path: Path, table: str, message: str
) -> None:
    (tmp_path / "leaves").symlink_to("/etc")
    (tmp_path / "graphsvc.toml").write_text(f"[memory]\n{table}\n")
    done = run(tmp_path, "--config", "graphsvc.toml", "--json")
    assert (done.exit_code, done.stdout) == (1, "")
    assert message in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("option", ["--write", "--check"])
def test_what_needs_the_graph_says_so(tmp_path: Path, option: str) -> None:
    done = run(tmp_path, option)
    assert done.exit_code == 1
    assert f"{option} needs the graph" in done.stderr


def test_check_compares_with_an_earlier_report(tmp_path: Path) -> None:
    repository = write_tree(
        tmp_path / "repo", {".agent-memory/a.md": "Acme prints.", ".agent-memory/b.md": "Paul packs."}
    )
    owners = {"Acme": [Owner("ent_acme", "alias")], "Paul": [Owner("ent_paul", "alias")]}
    config = MemoryConfig(knowledge_entities=True)
    earlier = ingest(repository, config)
    support = Support(relate(earlier.candidates, owners), Coverage("complete"))
    saved = tmp_path / "report.json"
    saved.write_bytes(report.to_bytes(report.as_json(config, earlier, support)))
    fresh = run(repository, "--check", "--against", str(saved))
    assert (fresh.exit_code, fresh.stdout) == (
        0,
        "2 links checked, 0 stale (owners not looked at: no graph)\n",
    )
    (repository / ".agent-memory/a.md").write_text("Acme prints boxes.")
    stale = run(repository, "--check", "--against", str(saved), "--json")
    found = json.loads(stale.stdout)
    assert (stale.exit_code, found["checked"], found["owners_checked"]) == (1, 2, False)
    assert [(link["reason"], link["candidate_id"]) for link in found["stale"]] == [("fact_changed", "a")]


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"{", b'{"memory_relations": [{}]}', b'{"memory_relations": 5}', b"\xff"]
)
def test_check_refuses_what_is_no_report(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "report.json").write_bytes(content)
    done = run(tmp_path, "--check", "--against", "report.json")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "not a report" in done.stderr
