"""Loads `cypher/**/*.cypher` once and checks every file; a wrong file stops the start, not a request.

`Q["entity/create_entities"]` is the query in `cypher/entity/create_entities.cypher`. The header format is described in
`cypher/README.md`. Files in `cypher/browser/` are for people; they have rules of their own (`load_browser_queries`).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import takewhile
from pathlib import Path
from types import MappingProxyType
from typing import Final, Literal, cast

_WRITE_CLAUSE: Final = re.compile(
    r"\b(CREATE|MERGE|SET|DELETE|REMOVE|FOREACH|LOAD\s+CSV|DROP)\b", re.IGNORECASE
)
_FORBIDDEN: Final = {
    "=~": re.compile(r"=~"),
    "variable-length path": re.compile(r"\[[^\]'\"]*\*[^\]'\"]*\]\s*-"),
    "DELETE": re.compile(r"\bDELETE\b", re.IGNORECASE),
    "two statements": re.compile(r";\s*\S"),
}
_PARAMETER: Final = re.compile(r"\$([a-z_][a-z0-9_]*)")
_STRING: Final = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"")
_COMMENT: Final = re.compile(r"//[^\n]*")
SCOPE_PARAMETERS: Final = frozenset({"visible_scopes", "write_scope", "writable_scopes", "home_scope"})
GATES: Final = SCOPE_PARAMETERS - {"home_scope"}
_HEADER_FIELDS: Final = ("access", "scope", "params", "returns")
_BROWSER_HEADER_FIELDS: Final = ("parameters", "shows")
_FIRST_WITH: Final = re.compile(r"WITH\s+(?:(?:''|\d+)\s+AS\s+\w+(?:\s*,\s*)?)+")
_NAMED_VALUE: Final = re.compile(r"AS\s+(\w+)")
PURGE_FOLDERS: Final = frozenset({"housekeeping", "erasure"})
"""Folders whose queries may delete: expired keys and checkpoints, and what the law wants gone."""


class QueryFileError(RuntimeError):
    """A file under `cypher/` breaks a rule; the message names the file and the rule."""


@dataclass(frozen=True, slots=True)
class CypherQuery:
    """One statement with what its header says."""

    name: str
    purpose: str
    access: Literal["read", "write"]
    scope: Literal["gated", "system"]
    params: frozenset[str]
    types: Mapping[str, str]
    returns: tuple[str, ...]
    text: str

    @property
    def packed(self) -> str:
        """The statement with all its rows in one, `packed`: the driver takes its time for each row of an answer."""
        columns = ", ".join(f"{column}: {column}" for column in self.returns)
        return f"CALL () {{\n{self.text}\n}}\nRETURN collect({{{columns}}}) AS packed"


def cypher_root() -> Path:
    """The folder of query files: inside the installed package, else beside it in a checkout."""
    installed = Path(str(files("graphsvc"))) / "_cypher"
    if installed.is_dir():
        return installed
    checkout = Path(__file__).resolve().parent.parent / "cypher"
    if checkout.is_dir():
        return checkout
    raise QueryFileError(f"no Cypher files: neither {installed} nor {checkout} is there")


def _header(comments: list[str], names: tuple[str, ...]) -> tuple[list[str], dict[str, str]]:
    """The lines that say what a query is for, and the fields after them."""
    fields: dict[str, str] = {}
    purpose: list[str] = []
    key = ""
    for line in comments:
        head, colon, rest = line.partition(":")
        if colon and head in names:
            key = head
            fields[key] = rest.strip()
        elif key:
            fields[key] += " " + line
        else:
            purpose.append(line)
    return purpose, fields


def parse_query(name: str, source: str) -> CypherQuery:
    """Read one file's header and statement, and check both. Raises QueryFileError."""

    def refuse(reason: str) -> QueryFileError:
        return QueryFileError(f"cypher/{name}.cypher: {reason}")

    lines = source.splitlines()
    comments = list(takewhile(lambda line: line.startswith("//"), lines))
    purpose, fields = _header([line[2:].strip() for line in comments], _HEADER_FIELDS)
    if not purpose:
        raise refuse("the header must open with a line that says what the query is for")
    for needed in _HEADER_FIELDS:
        if needed not in fields:
            raise refuse(f"the header lacks '{needed}:'")
    if fields["access"] not in {"read", "write"}:
        raise refuse("access must be read or write")
    if fields["scope"] not in {"gated", "system"}:
        raise refuse("scope must be gated or system")
    text = "\n".join(lines[len(comments) :]).strip().rstrip(";").strip()
    code = _STRING.sub("''", _COMMENT.sub("", text))
    parts = [part.split() for part in fields["params"].split(",") if part.strip() not in {"", "none"}]
    types = {part[0]: " ".join(part[1:]) for part in parts}
    declared = set(types)
    used = set(_PARAMETER.findall(code))
    if declared != used:
        raise refuse(f"params in the header {sorted(declared)} differ from those in the text {sorted(used)}")
    if fields["access"] == "read" and _WRITE_CLAUSE.search(code):
        raise refuse("access is read, but the text has a clause that writes")
    if fields["scope"] == "gated" and not used & GATES:
        raise refuse("scope is gated, but the text uses no scope parameter")
    for rule, pattern in _FORBIDDEN.items():
        if pattern.search(code) and not (
            rule == "DELETE" and name.split("/", maxsplit=1)[0] in PURGE_FOLDERS
        ):
            raise refuse(f"{rule} is not allowed")
    returns = tuple(
        part.strip().split()[0] for part in fields["returns"].split(",") if part.strip() != "none"
    )
    return CypherQuery(
        name=name,
        purpose=" ".join(purpose),
        access=cast('Literal["read", "write"]', fields["access"]),
        scope=cast('Literal["gated", "system"]', fields["scope"]),
        params=frozenset(declared),
        types=MappingProxyType(types),
        returns=returns,
        text=text,
    )


@cache
def load_queries() -> Mapping[str, CypherQuery]:
    """All queries by name, checked. Raises QueryFileError at the first file that breaks a rule."""
    root = cypher_root()
    found: dict[str, CypherQuery] = {}
    for path in sorted(root.rglob("*.cypher")):
        name = path.relative_to(root).with_suffix("").as_posix()
        if name.split("/")[0] in {"schema", "browser"}:
            continue
        found[name] = parse_query(name, path.read_text(encoding="utf-8"))
    return MappingProxyType(found)


@dataclass(frozen=True, slots=True)
class BrowserQuery:
    """A query that a person pastes into Neo4j Browser as it is."""

    name: str
    title: str
    explanation: str
    parameters: Mapping[str, str]
    """What each name in the first clause (`WITH 'Acme Print' AS name`) means: people change the values there."""
    shows: Literal["graph", "table"]
    source: str


def parse_browser_query(name: str, source: str) -> BrowserQuery:
    """Read one file in `cypher/browser/` and check that it is explained and only reads. Raises QueryFileError."""

    def refuse(reason: str) -> QueryFileError:
        return QueryFileError(f"cypher/browser/{name}.cypher: {reason}")

    lines = source.splitlines()
    comments = list(takewhile(lambda line: line.startswith("//"), lines))
    purpose, fields = _header([line[2:].strip() for line in comments], _BROWSER_HEADER_FIELDS)
    title, stop, explanation = " ".join(purpose).partition(". ")
    if not title:
        raise refuse("the header must open with a sentence that says what the query shows")
    for needed in _BROWSER_HEADER_FIELDS:
        if needed not in fields:
            raise refuse(f"the header lacks '{needed}:'")
    if fields["shows"] not in {"graph", "table"}:
        raise refuse("shows must be graph or table")
    stated = [] if fields["parameters"] == "none" else fields["parameters"].split(";")
    parameters = {key.strip(): meaning.strip() for key, _, meaning in (one.partition("=") for one in stated)}
    code = _STRING.sub("''", _COMMENT.sub("", "\n".join(lines[len(comments) :]))).strip()
    first = _FIRST_WITH.match(code)
    named = _NAMED_VALUE.findall(first.group()) if first else []
    if list(parameters) != named or not all(parameters.values()):
        raise refuse(
            f"parameters in the header {list(parameters)} differ from those in the first clause {named}"
        )
    if _PARAMETER.search(code):
        raise refuse("parameters that must be set first are not allowed: give values in the first clause")
    if _WRITE_CLAUSE.search(code):
        raise refuse("it has a clause that writes")
    for rule in ("=~", "two statements"):
        if _FORBIDDEN[rule].search(code):
            raise refuse(f"{rule} is not allowed")
    if re.search(r"\*\s*[\]\d]", re.sub(r"\*\.\.\d+", "", code)):
        raise refuse("a path without an upper bound is not allowed")
    return BrowserQuery(
        name=name,
        title=title + stop.strip() if stop else title,
        explanation=explanation,
        parameters=MappingProxyType(parameters),
        shows=cast('Literal["graph", "table"]', fields["shows"]),
        source=source.strip(),
    )


@cache
def load_browser_queries() -> Mapping[str, BrowserQuery]:
    """The queries for people by name, checked. Raises QueryFileError at the first file that breaks a rule."""
    paths = sorted((cypher_root() / "browser").glob("*.cypher"))
    return MappingProxyType(
        {path.stem: parse_browser_query(path.stem, path.read_text(encoding="utf-8")) for path in paths}
    )


@cache
def load_schema() -> Mapping[str, str]:
    """The schema statements in order: file name to text. Each is idempotent."""
    root = cypher_root() / "schema"
    return MappingProxyType(
        {
            path.stem: _COMMENT.sub("", path.read_text(encoding="utf-8")).strip().rstrip(";").strip()
            for path in sorted(root.glob("*.cypher"))
        }
    )


Q: Final[Mapping[str, CypherQuery]] = load_queries()
