"""One write of every kind, with what must be there before it and how to see that it happened."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

import httpx

from tests.harness.service_process import Caller

Payload = dict[str, Any]
Answers = dict[str, Any]
"""The answer to each operation before."""
Asked = Payload | Callable[[Caller, Answers], Payload]


@dataclass(frozen=True)
class WriteCase:
    """`payload` where `before` was carried out; `outcome` is the first answer, `again` that of a repetition.

    A payload that names what `before` made is a function of the caller, who looks it up, and of the answers so far.
    """

    operation: str
    payload: Asked
    outcome: str
    again: str
    is_there: Callable[[Caller], bool]
    before: tuple[tuple[str, Asked], ...] = field(default=())
    by: Literal["agent", "human"] = "agent"


def opened(caller: Caller, name: str = "Elm") -> dict[str, Any] | None:
    """An entity as it stands, with its neighbours."""
    records = caller.call("open_nodes", names=[name], neighbours=True)["entities"]
    return records[0] if records else None


def payload_of(asked: Asked, caller: Caller, answers: Answers) -> Payload:
    """The payload, with what this caller finds for it."""
    return asked(caller, answers) if callable(asked) else asked


def outcome_of(response: httpx.Response) -> str:
    """The first outcome of an answer in a word: of its text or alias where the item itself is only `ok`."""
    answer = response.json()
    if response.status_code != 200:
        return str(answer["type"]).removeprefix("/errors/")
    for made in ("fact", "decision", "approval"):
        if made in answer and "outcome" not in answer:
            return made
    for counted in ("retired", "revived", "removed"):
        if counted in answer:
            count = answer[counted]
            by_kind = sorted(kind for kind in count if count[kind]) if isinstance(count, dict) else None
            return f"{counted} {count if by_kind is None else ', '.join(by_kind)}"
    if "results" not in answer:
        return str(answer["outcome"])
    result = answer["results"][0]
    for part in ("observations", "aliases"):
        if result["outcome"] == "ok" and part in result:
            return str(result[part][0]["outcome"])
    return str(result["outcome"])


_ELM: tuple[str, Payload] = (
    "create_entities",
    {"entities": [{"name": "Elm", "aliases": ["Ulmus"], "observations": ["tall"]}, {"name": "Fir"}]},
)
_NEAR = {"from": "Elm", "type": "near", "to": "Fir"}
_RELATED: tuple[str, Payload] = ("create_relations", {"relations": [_NEAR]})


def _texts(caller: Caller) -> list[str]:
    record = opened(caller)
    return [observation["text"] for observation in record["observations"]] if record else []


def _aliases(caller: Caller) -> list[str]:
    record = opened(caller)
    return list(record["entity"]["aliases"]) if record else []


def _relations(caller: Caller) -> int:
    record = opened(caller)
    return len(record["relations"]) if record else 0


CASES = (
    WriteCase(
        "create_entities", _ELM[1], "created", "existing",
        lambda c: _texts(c) == ["tall"] and _aliases(c) == ["Ulmus"],
    ),
    WriteCase(
        "update_entities", {"items": [{"entity": "Elm", "kind": "tree"}]}, "updated", "updated",
        lambda c: (opened(c) or {"entity": {"kind": None}})["entity"]["kind"] == "tree", (_ELM,),
    ),
    WriteCase(
        "add_observations", {"items": [{"entity": "Elm", "contents": ["green"]}]}, "added", "duplicate",
        lambda c: _texts(c).count("green") == 1, (_ELM,),
    ),
    WriteCase(
        "create_relations", {"relations": [_NEAR]}, "created", "existing", lambda c: _relations(c) == 1, (_ELM,)
    ),
    WriteCase(
        "add_aliases", {"items": [{"entity": "Elm", "aliases": ["Orme"]}]}, "added", "existing",
        lambda c: _aliases(c).count("Orme") == 1, (_ELM,),
    ),
    WriteCase(
        "remove_aliases", {"items": [{"entity": "Elm", "aliases": ["Ulmus"]}]}, "retired 1", "retired 0",
        lambda c: _aliases(c) == [], (_ELM,),
    ),
    WriteCase(
        "delete_observations", {"items": [{"entity": "Elm", "contents": ["tall"]}]}, "retired 1", "retired 0",
        lambda c: _texts(c) == [], (_ELM,),
    ),
    WriteCase(
        "delete_relations", {"relations": [_NEAR]}, "retired 1", "retired 0",
        lambda c: _relations(c) == 0, (_ELM, _RELATED),
    ),
    WriteCase("delete_entities", {"names": ["Elm"]}, "retired 1", "retired 0", lambda c: opened(c) is None, (_ELM,)),
)  # fmt: skip

_TASK: tuple[str, Payload] = ("create_tasks", {"tasks": [{"title": "Prune the elm", "external_id": "t-1"}]})
_NOTE: tuple[str, Payload] = ("create_notes", {"notes": [{"title": "On elms", "external_id": "n-1"}]})
_PAIR = {"task": "t-1", "entity": "Elm"}
_LINK: tuple[str, Payload] = ("link_task_entity", _PAIR)


def _links(caller: Caller, *, removed: bool = False) -> list[dict[str, Any]]:
    response = caller.post("get_task_links", {"task": "t-1", "include_removed": removed})
    return list(response.json()["links"]) if response.status_code == 200 else []


def _tasks(caller: Caller) -> list[dict[str, Any]]:
    """The tasks of the elm, seen through a link that is made for it where the task is there."""
    caller.post("link_task_entity", _PAIR)
    return [link["task"] for link in caller.call("get_entity_tasks", entity="Elm")["links"]]


def _is_note(caller: Caller) -> bool:
    """Whether the note is there."""
    again = caller.call("create_notes", atomic=False, notes=[{"title": "On elms", "external_id": "n-1"}])
    return bool(again["results"][0]["outcome"] == "existing")


_DOCUMENT: Payload = {"title": "On elms", "text": "Elms are tall.\n" * 2_000}


def _is_whole(caller: Caller) -> bool:
    """Whether the document is there, with every chunk once."""
    stored = caller.call("put_document", **_DOCUMENT)
    ends = [chunk["end"] for chunk in stored["chunks"]]
    is_gapless = [chunk["start"] for chunk in stored["chunks"]] == [0, *ends[:-1]]
    return bool(stored["outcome"] == "existing" and is_gapless and ends[-1] == len(_DOCUMENT["text"]))


CASES += (
    WriteCase("put_document", _DOCUMENT, "created", "existing", _is_whole),
    WriteCase("create_tasks", _TASK[1], "created", "existing", lambda c: len(_tasks(c)) == 1, (_ELM,)),
    WriteCase(
        "update_tasks", {"items": [{"task": "t-1", "status": "doing"}]}, "updated", "updated",
        lambda c: [task["status"] for task in _tasks(c)] == ["doing"], (_ELM, _TASK),
    ),
    WriteCase("create_notes", _NOTE[1], "created", "existing", _is_note),
    WriteCase(
        "update_notes", {"items": [{"note": {"external_id": "n-1"}, "title": "Of elms"}]}, "updated", "updated",
        _is_note, (_NOTE,),
    ),
    WriteCase("link_task_entity", _PAIR, "created", "existing", lambda c: len(_links(c)) == 1, (_ELM, _TASK)),
    WriteCase(
        "unlink_task_entity", _PAIR, "removed 1", "removed 0",
        lambda c: _links(c) == [] and len(_links(c, removed=True)) == 1, (_ELM, _TASK, _LINK),
    ),
    WriteCase(
        "reject_suggestion", _PAIR, "rejected", "existing",
        lambda c: _links(c) == [] and len(_links(c, removed=True)) == 1, (_ELM, _TASK),
    ),
)  # fmt: skip

_MERGE: tuple[str, Payload] = ("merge_entities", {"source": "Fir", "target": "Elm"})


def _fir_is(caller: Caller, name: str) -> bool:
    """Whether the fir is answered for by this entity."""
    record = opened(caller, "Fir")
    return record is not None and record["entity"]["name"] == name


CASES += (
    WriteCase("merge_entities", _MERGE[1], "merged", "existing", lambda c: _fir_is(c, "Elm"), (_ELM,)),
    WriteCase(
        "unmerge_entities",
        {"source": "Fir"},
        "unmerged",
        "skipped",
        lambda c: _fir_is(c, "Fir"),
        (_ELM, _MERGE),
    ),
)

_CLAIM: tuple[str, Payload] = (
    "propose_claims",
    {
        "claims": [
            {
                "subject": "Elm",
                "predicate": "is",
                "object": "tall",
                "evidence": [{"kind": "page", "ref": "p. 1"}],
            }
        ]
    },
)
_TOLD = {"text": "Elm supplies Fir."}


def _claims(caller: Caller, status: str | None = None) -> list[dict[str, Any]]:
    return list(caller.call("list_claims", status=status)["claims"])


def _facts(caller: Caller) -> list[dict[str, Any]]:
    return list(caller.call("list_facts")["facts"])


def _claim(_: Caller, answers: Answers) -> Payload:
    return {"claim": answers["propose_claims"]["results"][0]["id"]}


def _approve(caller: Caller, answers: Answers) -> Payload:
    return _claim(caller, answers) | {"statement_sha256": _claims(caller)[0]["statement_sha256"]}


def _promote(caller: Caller, answers: Answers) -> Payload:
    return _claim(caller, answers) | {"mode": "human_confirmed"}


def _is_approved(caller: Caller) -> bool:
    """Whether the approval is there, as without it no claim becomes a fact."""
    promote = {"claim": _claims(caller)[0]["id"], "mode": "human_confirmed"}
    return caller.post("promote_candidate", promote).status_code == 200


def _invalidate(_: Caller, answers: Answers) -> Payload:
    fact = answers["promote_candidate"]["fact"]
    return {"fact": fact, "action": "invalidate", "effective_at": "2100-01-01T00:00:00Z"}


_GOVERNED: tuple[tuple[str, Asked], ...] = (
    _ELM,
    _CLAIM,
    ("approve", _approve),
    ("promote_candidate", _promote),
)

CASES += (
    WriteCase("propose_claims", _CLAIM[1], "created", "existing", lambda c: len(_claims(c)) == 1, (_ELM,)),
    WriteCase("extract_claims", _TOLD, "created", "existing", lambda c: len(_claims(c)) == 1, (_ELM,)),
    WriteCase(
        "reject_claim", _claim, "rejected", "conflict",
        lambda c: len(_claims(c, "rejected")) == 1, (_ELM, _CLAIM),
    ),
    WriteCase(
        "approve", _approve, "approval", "conflict",
        _is_approved, (_ELM, _CLAIM), "human",
    ),
    WriteCase(
        "promote_candidate", _promote, "fact", "conflict",
        lambda c: len(_facts(c)) == len(_claims(c, "promoted")) == 1, _GOVERNED[:3], "human",
    ),
    WriteCase(
        "govern_fact", _invalidate, "decision", "decision",
        lambda c: str(_facts(c)[0]["valid_to"]).startswith("2100"), _GOVERNED, "human",
    ),
)  # fmt: skip

_RUN: tuple[str, Payload] = (
    "create_entities",
    {"entities": [{"name": "Oak", "observations": ["oaken"]}], "provenance": {"session_id": "s-1"}},
)


def _task(_: Caller, answers: Answers) -> Payload:
    return {"ids": [answers["create_tasks"]["results"][0]["id"]]}


def _is_retired(caller: Caller) -> bool:
    """Whether the task is retired, as a retired one is not found by its title."""
    return caller.call("find_by_title", phrase="Prune the elm", kinds=["task"])["hits"] == []


CASES += (
    WriteCase(
        "retire_by_provenance", {"session_id": "s-1"}, "retired entities, observations", "retired ",
        lambda c: opened(c, "Oak") is None, (_RUN,),
    ),
    WriteCase("retire", _task, "retired 1", "retired 0", _is_retired, (_ELM, _TASK)),
    WriteCase(
        "revive", _task, "revived 1", "revived 0", lambda c: not _is_retired(c), (_ELM, _TASK, ("retire", _task))
    ),
)  # fmt: skip
