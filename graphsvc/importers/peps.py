"""Importer for Python Enhancement Proposals as JSON Lines, one a line, into the scope `project:peps`.

Fields of a line: number, title, authors, status, type, created ("13-Jun-2000"), python_version, topic,
requires, replaces, superseded_by, abstract (paragraphs). What becomes of them:

    (person)-[authored]->(PEP)   (PEP)-[requires | replaces | superseded-by]->(PEP)
    (PEP)-[has-status]->(status)   (PEP)-[has-type]->(type)   (PEP)-[about]->(topic)

Names. Two proposals may share a title (a withdrawn draft and its successor do), so the title alone names
nobody: a proposal is called "PEP 8 – Style Guide for Python Code", and answers to "PEP 8", "pep-0008",
"pep8" and its title; a title that two proposals share is then an alias with two owners, ambiguous as it
should be. Statuses, types and topics carry their class in their name ("Status: Final"): words like *final*
and *process* stand in titles and questions without meaning the status. A person's name is the only
unqualified one, and therefore collides with nothing. People spelled alike are one person; two spellings stay
two, as no rule knows better: merging them is for someone who does.

The importer reads one state of the collection. To load a later one, undo the earlier load
(`retire_by_provenance`) first, or facts of both would stand side by side.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import BaseModel, Field, StringConstraints, ValidationError, field_validator

from graphsvc.domain.names import name_key
from graphsvc.importers.lines import read_objects
from graphsvc.importers.long_text import split_text
from graphsvc.importers.model_problem import problem_of
from graphsvc.importers.sourced_record import Problem, Record, SourcedRecord

SCOPE: Final = "project:peps"

_MONTH_NAMES: Final = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_MONTHS: Final = [name[:3] for name in _MONTH_NAMES]
_DATE: Final = re.compile(r"(\d{1,2})-([A-Z][a-z]{2})-(\d{4})", re.ASCII)
_CODE_MARKS: Final = re.compile(r"``(.+?)``(?:\\ )?")
_ESCAPE: Final = re.compile(r"\\(?=[^\w\s])")


_Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class _Pep(BaseModel):
    """One line. A wrong field makes the whole line a problem: half a proposal would be believed whole."""

    number: int = Field(ge=0, strict=True)
    title: _Text
    authors: list[_Text]
    status: _Text
    type: _Text
    created: date
    python_version: str | None = None
    topic: str | None = None
    requires: list[int] = []
    replaces: list[int] = []
    superseded_by: list[int] = []
    abstract: list[str] = []

    @field_validator("created", mode="before")
    @classmethod
    def _read_date(cls, value: Any) -> date:
        # Not strptime: its month names follow the locale of the process.
        match = _DATE.fullmatch(value) if isinstance(value, str) else None
        if not match or match[2] not in _MONTHS:
            raise ValueError("not a date like 13-Jun-2000")
        return date(int(match[3]), _MONTHS.index(match[2]) + 1, int(match[1]))

    @property
    def label(self) -> str:
        """The short form used in sentences: "PEP 8"."""
        return f"PEP {self.number}"

    @property
    def name(self) -> str:
        """The name of the entity."""
        return f"{self.label} – {plain_title(self.title)}"

    @property
    def topics(self) -> list[str]:
        return [part.strip() for part in (self.topic or "").split(",") if part.strip()]


def plain_title(title: str) -> str:
    """The title as a reader sees it: no reStructuredText marks around code and before special characters."""
    return _ESCAPE.sub("", _CODE_MARKS.sub(r"\1", title)).strip()


def read_peps(path: Path) -> Iterator[SourcedRecord]:
    """Yield the scope, all entities with their observations, then all relations. Raises OSError.

    A relation to a proposal that the file does not hold is a problem at the line that names it, as is a
    second line with the same number. The proposals are held in memory between the two parts.
    """
    peps: dict[int, tuple[int, _Pep]] = {}
    seen: set[str] = set()
    for line_number, content in read_objects(path):
        pep = content if isinstance(content, Problem) else _parse(content)
        if isinstance(pep, _Pep) and pep.number in peps:
            pep = Problem(f"PEP {pep.number} stands in line {peps[pep.number][0]} already")
        if isinstance(pep, Problem):
            yield SourcedRecord(line_number, pep)
            continue
        if not peps:
            yield SourcedRecord(
                line_number, {"record": "scope", "id": SCOPE, "title": "Python Enhancement Proposals"}
            )
        peps[pep.number] = line_number, pep
        for record in _entity_records(pep):
            # The file names a person or topic many times; the record of the first time is enough.
            if name_key(record["name"]) not in seen:
                seen.add(name_key(record["name"]))
                yield SourcedRecord(line_number, record)
    for line_number, pep in peps.values():
        for content in _relations(pep, peps):
            yield SourcedRecord(line_number, content)


def _parse(line: Record) -> _Pep | Problem:
    try:
        return _Pep.model_validate(line)
    except ValidationError as error:
        return problem_of(error)


def _entity_records(pep: _Pep) -> Iterator[Record]:
    """The proposal, and everything it points to other than proposals."""
    for author in pep.authors:
        yield _entity(author, "person")
    for topic in pep.topics:
        yield _entity(_topic_name(topic), "topic", aliases=[topic])
    yield _entity(_status_name(pep.status), "status")
    yield _entity(_type_name(pep.type), "proposal type")
    observations: list[Any] = [*_facts(pep), *(part for text in pep.abstract for part in split_text(text))]
    yield _entity(
        pep.name,
        "proposal",
        aliases=_aliases(pep),
        external_ids=[f"pep:{pep.number}"],
        observations=observations,
    )


def _entity(name: str, kind: str, **fields: Any) -> Record:
    return {"record": "entity", "scope": SCOPE, "name": name, "kind": kind, **fields}


def _status_name(status: str) -> str:
    return f"Status: {status}"


def _type_name(type_: str) -> str:
    return f"Type: {type_}"


def _topic_name(topic: str) -> str:
    return f"Topic: {topic}"


def _aliases(pep: _Pep) -> list[str]:
    """The ways to write its number, and its title as a reader sees it and as it stands in the source."""
    spellings = [pep.label, f"pep-{pep.number:04}", f"pep{pep.number}", plain_title(pep.title), pep.title]
    aliases: dict[str, str] = {}
    for spelling in spellings:
        aliases.setdefault(name_key(spelling), spelling)
    return list(aliases.values())


def _facts(pep: _Pep) -> Iterator[str | Record]:
    """Short sentences that stand alone: each is found, shown and retired without the others."""
    yield {
        "text": f"{pep.label} was created on {_day(pep.created)}.",
        "observed_at": f"{pep.created.isoformat()}T00:00:00Z",
    }
    yield f"{pep.label} is a {pep.type} proposal with status {pep.status}."
    if pep.authors:
        yield f"{pep.label} was written by {_listed(pep.authors)}."
    if pep.python_version:
        yield f"{pep.label} is meant for Python {pep.python_version}."
    for number in pep.requires:
        yield f"{pep.label} requires PEP {number}."
    for number in pep.replaces:
        yield f"{pep.label} replaces PEP {number}."
    for number in pep.superseded_by:
        yield f"{pep.label} is superseded by PEP {number}."


def _day(day: date) -> str:
    return f"{day.day} {_MONTH_NAMES[day.month - 1]} {day.year}"


def _listed(names: list[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]


def _relations(pep: _Pep, peps: Mapping[int, tuple[int, _Pep]]) -> Iterator[Record | Problem]:
    for author in pep.authors:
        yield _relation(author, "authored", pep.name)
    yield _relation(pep.name, "has-status", _status_name(pep.status))
    yield _relation(pep.name, "has-type", _type_name(pep.type))
    for topic in pep.topics:
        yield _relation(pep.name, "about", _topic_name(topic))
    for type_, numbers in (
        ("requires", pep.requires),
        ("replaces", pep.replaces),
        ("superseded-by", pep.superseded_by),
    ):
        for number in numbers:
            if number in peps:
                yield _relation(pep.name, type_, peps[number][1].name)
            else:
                yield Problem(f"{type_} names PEP {number}, which the file does not hold")


def _relation(from_name: str, type_: str, to_name: str) -> Record:
    return {"record": "relation", "scope": SCOPE, "from": from_name, "type": type_, "to": to_name}
