"""The guide page about resolvers says what the code does.

Method: its example configuration is read by the real registry; its tables must name every resolver and code.
"""

import re
import tomllib

from graphsvc.resolvers.base import PROBLEM_CODES
from tests.resolvers.support import REPOSITORY_ROOT, declared_entry_points, registry

GUIDE = (REPOSITORY_ROOT / "docs" / "resolvers.md").read_text(encoding="utf-8")


def test_the_example_configuration_is_valid() -> None:
    text = re.findall(r"```toml\n(.*?)```", GUIDE, re.DOTALL)[0]
    tables = tomllib.loads(text)["resolvers"]
    configured = registry(tables)
    for name in tables:
        assert configured.get(name).tier in {"reproducible", "best_effort"}
    assert set(tables) | {"graph_doc"} == {entry.name for entry in declared_entry_points()}


def test_every_resolver_and_its_tier_is_listed() -> None:
    rows = re.findall(r"^\| (`[^|]*) \| (reproducible|best_effort) \|", GUIDE, re.MULTILINE)
    listed = {name: tier for names, tier in rows for name in re.findall(r"`(\w+)`", names)}
    assert listed == {
        **dict.fromkeys(("fs_git", "graph_doc"), "reproducible"),
        **dict.fromkeys(("fs", "fs_worktree", "sqlite_doc", "pg_doc", "url", "codex_thread"), "best_effort"),
    }


def test_every_problem_code_is_explained() -> None:
    table = GUIDE.split("| problem | meaning |")[1].split("**Not found**")[0]
    first_cells = re.findall(r"^\| ([^|]*) \|", table, re.MULTILINE)
    explained = {code for cell in first_cells for code in re.findall(r"`(\w+)`", cell)}
    assert explained == set(PROBLEM_CODES)
