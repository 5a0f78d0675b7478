"""The list of candidates: order, ids, what is unsafe, and the configuration that says what is read."""

import hashlib
import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from graphsvc import limits
from graphsvc.configuration import Configuration, ConfigurationError, read_configuration
from graphsvc.memory_sources import report
from graphsvc.memory_sources.candidates import ingest
from graphsvc.memory_sources.config import MemoryConfig
from graphsvc.memory_sources.draft import draft_claims
from tests.memory_sources.support import write_tree

SECRET = "hunter" + "2-and-more"


def memory(text: str) -> MemoryConfig:
    """The configuration that this [memory] table makes."""
    return MemoryConfig.model_validate(tomllib.loads(text))


def paths(repository: Path, config: MemoryConfig) -> list[str]:
    return [candidate.path for candidate in ingest(repository, config).candidates]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return write_tree(tmp_path, {
        ".cursor/rules/z.mdc": "Z.", ".cursor/rules/sub/a.mdc": "A.",
        ".agent-memory/b.md": "B.", ".agent-memory/a/z.md": "AZ.", ".agent-memory/a-b.md": "A-B.",
        "notes/n.md": "N.", "notes/deep/b.md": "Deep B.", "README.md": "Not a memory.",
    })  # fmt: skip


def test_by_default_both_adapters_read_their_directories_in_order(repository: Path) -> None:
    assert paths(repository, MemoryConfig()) == [
        ".agent-memory/a-b.md",
        ".agent-memory/a/z.md",
        ".agent-memory/b.md",
        ".cursor/rules/sub/a.mdc",
        ".cursor/rules/z.mdc",
    ]


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ("enabled = false", []),
        ("adapters = []", []),
        ('adapters = ["cursor-rules"]', [".cursor/rules/sub/a.mdc", ".cursor/rules/z.mdc"]),
        (
            'adapters = ["cursor-rules"]\ningest_dir = "notes"',
            [".cursor/rules/sub/a.mdc", ".cursor/rules/z.mdc"],
        ),
        ('adapters = ["playbook-memory"]\ningest_dir = "notes"', ["notes/deep/b.md", "notes/n.md"]),
        ('adapters = ["playbook-memory"]\ningest_dir = "./notes//deep/"', ["notes/deep/b.md"]),
        (
            'adapters = ["playbook-memory", "playbook-memory"]\ningest_dir = ["notes/deep", "missing", "notes"]',
            ["notes/deep/b.md", "notes/n.md"],
        ),
        ('adapters = ["playbook-memory"]\ningest_dir = "."', None),
    ],
)
def test_what_is_read_is_what_is_configured(repository: Path, table: str, expected: list[str] | None) -> None:
    found = paths(repository, memory(table))
    if expected is None:
        assert found == sorted(found)
        assert len(found) == 8
    else:
        assert found == expected


@pytest.mark.parametrize(
    "adapter", ["session", "bootstrap", "session-export", "bootstrap-delta", "Cursor-Rules", ""]
)
@pytest.mark.parametrize("enabled", ["true", "false"])
def test_other_adapters_fail_by_name(tmp_path: Path, adapter: str, enabled: str) -> None:
    file = tmp_path / "graphsvc.toml"
    file.write_text(f'[memory]\nenabled = {enabled}\nadapters = ["cursor-rules", "{adapter}"]\n')
    with pytest.raises(
        ConfigurationError, match=rf"memory\.adapters\.1: adapter '{adapter}' is not supported"
    ):
        read_configuration(file)


@pytest.mark.parametrize(
    "value",
    [
        '"/etc"',
        '".."',
        '"../notes"',
        '"notes/../../x"',
        '"notes/.."',
        '""',
        "[]",
        '["notes", "/x"]',
        "1",
        '[""]',
    ],
)
def test_directories_stay_inside(tmp_path: Path, value: str) -> None:
    file = tmp_path / "graphsvc.toml"
    file.write_text(f"[memory]\ningest_dir = {value}\n")
    with pytest.raises(ConfigurationError, match=r"memory\.ingest_dir"):
        read_configuration(file)


def test_there_are_at_most_so_many_directories() -> None:
    most = [f"d{n}" for n in range(limits.MEMORY_DIRECTORIES_MAX)]
    assert len(MemoryConfig(ingest_dir=most).ingest_dir) == 32
    with pytest.raises(ValueError, match="at most 32"):
        MemoryConfig(ingest_dir=[*most, "one-more"])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[memory]\nadapter = []", r"memory\.adapter: "),
        ("[memroy]", r"memroy: "),
        ("[memory", r"graphsvc\.toml: "),
        ("resolvers = 1", r"resolvers: "),
        ("\xff", r"graphsvc\.toml: "),
    ],
)
def test_a_configuration_that_does_not_fit_says_where(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "graphsvc.toml"
    file.write_text(text, encoding="latin-1")
    with pytest.raises(ConfigurationError, match=words):
        read_configuration(file)
    with pytest.raises(ConfigurationError, match="No such file"):
        read_configuration(tmp_path / "missing.toml")


def test_an_empty_configuration_is_the_default(tmp_path: Path) -> None:
    file = tmp_path / "graphsvc.toml"
    file.write_text("")
    assert read_configuration(file) == Configuration()
    assert Configuration().memory.sources() == [
        ("playbook-memory", ".agent-memory"),
        ("cursor-rules", ".cursor/rules"),
    ]


def test_ids_are_base_names_and_unique_and_keys_too(tmp_path: Path) -> None:
    write_tree(
        tmp_path,
        {f".agent-memory/{path}": "Same." for path in ("x.md", "a/y.md", "b/y.md", "b/y.mdx", "v1.2.md")},
    )
    run = ingest(tmp_path, MemoryConfig())
    ids = {
        candidate.path.removeprefix(".agent-memory/"): candidate.candidate_id for candidate in run.candidates
    }
    assert (ids["x.md"], ids["v1.2.md"]) == ("x", "v1.2")
    for path in ("a/y.md", "b/y.md", "b/y.mdx"):
        assert ids[path].startswith("y~")
    assert len(set(ids.values())) == 5
    assert len({candidate.key for candidate in run.candidates}) == 5


def test_confidence_is_that_of_the_source(repository: Path) -> None:
    found = {
        (candidate.source, candidate.confidence)
        for candidate in ingest(repository, MemoryConfig()).candidates
    }
    assert found == {("playbook-memory", 0.7), ("cursor-rules", 0.6)}


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    """Memories of every status; the unsafe ones have their secret in the fact, and away from it."""
    return write_tree(tmp_path, {
        ".agent-memory/1-good.md": "# T\n\nGood.",
        ".agent-memory/2-discarded.md": "Old.\n\n<!-- discard -->\n",
        ".agent-memory/3-in-fact.md": f"# T\n\nThe password is {SECRET}\n",
        ".agent-memory/4-elsewhere.md": f"Fact with no secret.\n\n```\npassword: {SECRET}\nana@printworks.de\n```\n",
        ".agent-memory/5-both.md": f"---\ndiscard: true\npassword: {SECRET}\n---\nx",
        ".agent-memory/6-latin.md": b"\xff",
    })  # fmt: skip


def test_unsafe_candidates_say_kind_and_line_and_never_the_secret(mixed: Path) -> None:
    config = MemoryConfig()
    run = ingest(mixed, config)
    found: dict[str, Any] = report.as_json(config, run)
    assert {entry["candidate_id"]: (entry["status"], entry["findings"]) for entry in found["candidates"]} == {
        "1-good": ("candidate", []),
        "2-discarded": ("discarded", []),
        "3-in-fact": ("unsafe", [{"kind": "password", "line": 3}]),
        "4-elsewhere": ("unsafe", [{"kind": "password", "line": 4}, {"kind": "email", "line": 5}]),
        "5-both": ("unsafe", [{"kind": "password", "line": 3}]),
    }
    assert found["counts"] == {"candidate": 1, "discarded": 1, "unsafe": 3, "unread": 1}
    assert [set(entry) & {"fact", "fact_sha256"} for entry in found["candidates"]][2:] == [
        set(),
        set(),
        set(),
    ]
    lines = "\n".join(report.to_lines(found))
    draft = json.dumps(draft_claims(run, (), "handbook", None))
    for shown in (report.to_bytes(found).decode(), lines, draft):
        assert "hunter" not in shown
        assert "printworks" not in shown


def test_no_key_tells_of_an_unsafe_fact(tmp_path: Path) -> None:
    """Else the secret could be guessed and the guess confirmed."""
    first = write_tree(tmp_path / "1", {".agent-memory/a.md": "password: first-1secret"})
    second = write_tree(tmp_path / "2", {".agent-memory/a.md": "password: other-2secret"})
    keys = {ingest(top, MemoryConfig()).candidates[0].key for top in (first, second)}
    assert len(keys) == 1


def test_the_report_for_people_writes_no_control_characters(tmp_path: Path) -> None:
    write_tree(tmp_path, {".agent-memory/a.md": "Fact \x1b[31mred\x07 \u202eright\u2066 \x9b31m."})
    config = MemoryConfig()
    shown = "\n".join(report.to_lines(report.as_json(config, ingest(tmp_path, config))))
    assert "Fact \\x1b[31mred\\x07 \\u202eright\\u2066 \\x9b31m." in shown


def test_a_draft_proposes_the_safe_ones_and_says_where_they_are_from(mixed: Path) -> None:
    assert draft_claims(ingest(mixed, MemoryConfig()), (), "handbook", "project:atlas") == {
        "scope": "project:atlas",
        "claims": [
            {
                "subject": "1-good",
                "predicate": "is noted as",
                "object": "Good.",
                "confidence": 0.7,
                "evidence": [
                    {
                        "kind": "document",
                        "ref": ".agent-memory/1-good.md",
                        "source_ref": {
                            "schema": "source_ref/v1",
                            "resolver": "fs_worktree",
                            "ref": {"repo": "handbook", "path": ".agent-memory/1-good.md"},
                            "hashes": {"content_sha256": hashlib.sha256(b"# T\n\nGood.").hexdigest()},
                        },
                        "excerpt": "Good.",
                    }
                ],
            }
        ],
    }
