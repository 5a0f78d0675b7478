"""The documentation holds: links lead somewhere, code blocks are what they say they are.

Method: every Markdown page of the project is read with the parser that reads memories; links are followed on disk, with
their anchors; JSON and Python blocks are parsed; Cypher blocks are planned by the real database; every `graphsvc` command in a
block names a command and options that there are.
"""

import json
import re
import shlex
from pathlib import Path

import pytest
import typer
from markdown_it import MarkdownIt
from markdown_it.token import Token

from graphsvc.cli import app
from tests.conftest import Database
from tests.harness.neo4j_session import cypher

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(
    page for page in ROOT.rglob("*.md")
    if not {part for part in page.relative_to(ROOT).parts if part.startswith(".")} and "build" not in page.parts
)  # fmt: skip
BY_NAME = [pytest.param(page, id=page.relative_to(ROOT).as_posix()) for page in PAGES]
GROUP = typer.main.get_command(app)


def tokens(page: Path) -> list[Token]:
    """All tokens of a page, those inside paragraphs too."""
    parsed = MarkdownIt("commonmark").enable("table").parse(page.read_text(encoding="utf-8"))
    return [inner for token in parsed for inner in (token, *(token.children or ()))]


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as forges make them."""
    headings = re.findall(r"^#+\s+(.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", BY_NAME)
def test_every_link_leads_somewhere(page: Path) -> None:
    lost = []
    for token in tokens(page):
        target = str(token.attrs.get("href") or token.attrs.get("src") or "")
        if not target or re.match(r"[a-z][a-z+]*:", target):
            continue
        path, _, anchor = target.partition("#")
        there = (page.parent / path).resolve() if path else page
        if not there.exists() or (anchor and there.suffix == ".md" and anchor not in anchors(there)):
            lost.append(target)
    assert not lost


def blocks(page: Path, *languages: str) -> list[str]:
    """The fenced blocks in these languages."""
    return [
        token.content
        for token in tokens(page)
        if token.type == "fence" and token.info.split(" ")[0] in languages
    ]


@pytest.mark.parametrize("page", BY_NAME)
def test_json_and_python_blocks_parse(page: Path) -> None:
    for block in blocks(page, "json"):
        try:
            json.loads(block)
        except json.JSONDecodeError:
            for line in block.splitlines():  # JSON Lines
                json.loads(line)
    for block in blocks(page, "python"):
        compile(block, str(page), "exec", flags=0x2000)  # top-level await, as in a notebook


def test_cypher_blocks_are_planned(database: Database) -> None:
    found = [(page, block) for page in PAGES for block in blocks(page, "cypher")]
    for _, block in found:
        for statement in filter(None, (part.strip() for part in block.split(";"))):
            cypher(database, f"EXPLAIN {statement}")


def commands(page: Path) -> list[list[str]]:
    """The `graphsvc` commands of a page's blocks, as words."""
    lines = [
        line
        for block in blocks(page, "", "bash", "sh", "console")
        for line in block.replace("\\\n", " ").splitlines()
    ]
    found = []
    for line in lines:
        match = re.match(r"(?:\.venv/bin/)?graphsvc (.*)", line.strip())
        if match:
            found.append(shlex.split(match[1], comments=True))
    return found


@pytest.mark.parametrize("page", BY_NAME)
def test_commands_and_their_options_are_there(page: Path) -> None:
    for words in commands(page):
        command, rest = GROUP, list(words)
        while hasattr(command, "commands") and rest and not rest[0].startswith("-"):
            name = rest.pop(0)
            assert name in command.commands, words
            command = command.commands[name]
        known = {option for parameter in command.params for option in parameter.opts} | {"--help"}
        given = {word.partition("=")[0] for word in rest if word.startswith("--")}
        assert given <= known, words


def test_there_are_commands_and_blocks() -> None:
    assert sum(len(commands(page)) for page in PAGES) > 20
    assert sum(len(blocks(page, "json", "python")) for page in PAGES) > 3
