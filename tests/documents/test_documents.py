"""Documents in the graph, and excerpts over HTTP and MCP (spec 05).

Goal: a stored document is addressed by its hash and read only by those who see its scope; an excerpt is framed, in its
budget, and right or says why not; whatever is not there for the caller is the one `not_found`. Method: a real service
with a configuration file that names a root, a repository and their readers; real files, a real Neo4j.
"""

import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pygit2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphsvc import limits
from graphsvc.domain.chunks import cut_into_chunks
from graphsvc.domain.framing import FRAMING
from graphsvc.ids import new_id
from graphsvc.service.replay import replay
from tests.audit.test_audit import Audit, audited  # noqa: F401 - a fixture
from tests.conftest import Database, World
from tests.harness.mcp_client import answer, over_http, refusal
from tests.harness.service_process import Caller, ServiceProcess

PAGE = "# Suppliers\n\nAcme Print offers same-day turnaround.\n\n## Abroad\n\nNone yet.\n"


def sha256(text: str | bytes) -> str:
    return hashlib.sha256(text.encode() if isinstance(text, str) else text).hexdigest()


def of_document(doc_id: str, chunk_id: str | None = None, **parts: Any) -> dict[str, Any]:
    ref = {"doc_id": doc_id} | ({"chunk_id": chunk_id} if chunk_id else {})
    return {"schema": "source_ref/v1", "resolver": "graph_doc", "ref": ref, **parts}


def put(caller: Caller, text: str = PAGE, title: str = "Suppliers", **fields: Any) -> Any:
    return caller.call("put_document", title=title, text=text, **fields)


# --- documents


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=400), st.integers(4, 64))
def test_chunks_are_the_whole_in_order_and_no_larger_than_they_may_be(text: str, bytes_max: int) -> None:
    chunks = list(cut_into_chunks(text, bytes_max))
    assert "".join(chunk.text for chunk in chunks) == text
    content = text.encode()
    assert all(content[chunk.start : chunk.end] == chunk.text.encode() for chunk in chunks)
    assert all(0 < chunk.end - chunk.start <= bytes_max for chunk in chunks)
    assert [chunk.position for chunk in chunks] == list(range(len(chunks)))


def test_chunks_end_with_paragraphs_or_else_with_lines() -> None:
    paragraphs = [chunk.text for chunk in cut_into_chunks("aaaa\nbb\n\ncccc\n", 10)]
    assert paragraphs == ["aaaa\nbb\n\n", "cccc\n"]
    assert [chunk.text for chunk in cut_into_chunks("aaaaaa\nbbb\n", 10)] == ["aaaaaa\n", "bbb\n"]


def test_a_document_is_stored_once_and_read_back(agent: Caller) -> None:
    text = "".join(f"Line {i} — 設備.\n" for i in range(3_000))
    stored = put(agent, text)
    assert stored["outcome"] == "created"
    assert stored["content_sha256"] == sha256(text)
    chunks = stored["chunks"]
    assert len(chunks) > 5
    assert [chunk["start"] for chunk in chunks] == [0, *(chunk["end"] for chunk in chunks[:-1])]
    again = put(agent, text, title="Another title")
    assert (again["outcome"], again["id"], again["chunks"]) == ("existing", stored["id"], chunks)
    found = agent.call(
        "get_excerpt",
        source_ref=of_document(
            stored["id"],
            state={"content_sha256": sha256(text)},
            locator={"quote": {"exact": "Line 2000 — 設備"}},
        ),
    )
    assert found["framing"] == dict(FRAMING)
    assert (found["verified"], found["problems"], found["selector"]) == (True, [], "quote")
    assert found["tier"] == "reproducible"
    content = text.encode()
    span = found["span"]
    assert content[span["start"] : span["end"]].decode() == "Line 2000 — 設備"
    shown = found["excerpt_span"]
    assert content[shown["start"] : shown["end"]].decode() == found["excerpt"]
    assert len(found["excerpt"].encode()) <= limits.EXCERPT_L1_BYTES_MAX


def test_a_chunk_is_addressed_with_its_own_hash(agent: Caller) -> None:
    text = "one\n" * 5_000
    stored = put(agent, text)
    chunk = stored["chunks"][1]
    whole = text[chunk["start"] : chunk["end"]]
    ref = of_document(stored["id"], chunk["id"], state={"content_sha256": chunk["sha256"]})
    found = agent.call("get_excerpt", source_ref=ref, level="L2")
    assert found["verified"]
    assert found["excerpt"] == whole
    wrong = of_document(stored["id"], chunk["id"], state={"content_sha256": sha256(text)})
    found = agent.call("get_excerpt", source_ref=wrong)
    assert (found["verified"], found["problems"]) == (False, ["content_hash_mismatch"])
    stranger = put(agent, "another document")["id"]
    assert agent.post("get_excerpt", {"source_ref": of_document(stranger, chunk["id"])}).status_code == 404


def test_another_text_is_another_document_and_the_old_one_stays(agent: Caller) -> None:
    first, second = put(agent)["id"], put(agent, PAGE + "\nAnd more.\n")["id"]
    assert first != second
    assert agent.call("get_excerpt", source_ref=of_document(first))["excerpt"] == PAGE


def test_retired_is_not_there_and_revived_is_the_same(agent: Caller) -> None:
    stored = put(agent)
    ref = of_document(stored["id"])
    assert agent.call("retire", ids=[stored["id"]])["retired"] == 1
    assert agent.call("retire", ids=[stored["id"]])["retired"] == 0
    for chunk_id in (None, stored["chunks"][0]["id"]):
        response = agent.post("get_excerpt", {"source_ref": of_document(stored["id"], chunk_id)})
        assert response.status_code == 404
    revived = put(agent)
    assert (revived["outcome"], revived["id"], revived["chunks"]) == (
        "revived",
        stored["id"],
        stored["chunks"],
    )
    agent.call("retire", ids=[stored["id"]])
    assert agent.call("revive", ids=[stored["id"]])["revived"] == 1
    assert agent.call("get_excerpt", source_ref=ref)["excerpt"] == PAGE


def test_a_document_is_its_scopes_alone(world: World) -> None:
    mine, other = world.agent(a="read,write"), world.agent(b="read,write")
    stored = put(mine)
    theirs = put(other)
    assert theirs["outcome"] == "created", "the same text in another scope is another document"
    answers = []
    for doc_id in (stored["id"], new_id("doc")):
        response = other.post("get_excerpt", {"source_ref": of_document(doc_id)})
        answers.append((response.status_code, response.json() | {"request_id": ""}))
    assert answers[0] == answers[1]
    assert answers[0][0] == 404
    assert other.call("retire", ids=[stored["id"]])["retired"] == 0
    reader = world.agent(a="read")
    assert reader.call("get_excerpt", source_ref=of_document(stored["id"]))["excerpt"] == PAGE
    assert reader.post("put_document", {"title": "t", "text": "x"}).status_code == 403


def test_putting_a_document_makes_no_observation_and_no_claim(agent: Caller) -> None:
    put(agent)
    graph = agent.call("read_graph", scopes=[agent.call("whoami")["default_scope"]])
    assert (graph["entities"], graph["relations"]) == ([], [])
    assert agent.call("list_claims")["claims"] == []
    found = agent.call("search_nodes", query="same-day turnaround", filters={"scopes": []})
    assert found["evidence"] == []


def test_the_log_tells_of_documents_and_leads_to_the_graph(
    world: World,
    audited: Audit,  # noqa: F811
) -> None:
    writer, governor = world.agent(a="read,write"), world.agent(a="read,write,govern")
    first = put(writer, provenance={"session_id": "run-1"})["id"]
    second = put(writer, "something else")["id"]
    writer.call("retire", ids=[second])
    put(writer, "something else")
    assert audited(replay).problems == []
    chain = writer.call("get_provenance", id=first)["chain"]
    assert chain[0]["content"]["title"] == "Suppliers"
    assert chain[0]["transitions"][0]["session_id"] == "run-1"
    changes = [
        change for change in writer.call("list_changes", limit=500)["changes"]
        if change["target"]["kind"] == "document"
    ]  # fmt: skip
    assert [change["op"] for change in changes] == ["create", "create", "retire", "revive"]
    assert PAGE not in json.dumps(changes), "the text itself is in the document alone"
    undone = governor.call("retire_by_provenance", session_id="run-1")
    assert undone["retired"]["documents"] == 1
    assert writer.post("get_excerpt", {"source_ref": of_document(first)}).status_code == 404


def test_a_repeated_key_answers_with_the_same_ids(agent: Caller) -> None:
    body = {"title": "t", "text": "said once"}
    first, second = (agent.post("put_document", body, Idempotency_Key="k1") for _ in range(2))
    assert second.headers["Idempotent-Replayed"] == "true"
    for part in ("outcome", "id", "chunks", "content_sha256"):
        assert first.json()[part] == second.json()[part]


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"title": "t", "text": "   "}, "$.text"),
        ({"title": "t", "text": "a\0b"}, "$.text"),
        ({"title": " ", "text": "a"}, "$.title"),
        ({"title": "t", "text": "a", "mime_type": "no slash"}, "$.mime_type"),
        ({"title": "t", "text": "a", "mime_type": "text/plain\n"}, "$.mime_type"),
        ({"title": "t", "text": "é" * (limits.DOCUMENT_BYTES_MAX // 2 + 1)}, "$.text"),
    ],
)
def test_what_is_no_document_is_refused(agent: Caller, body: dict[str, Any], path: str) -> None:
    response = agent.post("put_document", body)
    assert response.status_code == 422, response.text[:500]
    assert response.json()["errors"][0]["path"] == path


def test_the_largest_document_is_stored_and_only_its_operation_takes_such_a_body(agent: Caller) -> None:
    text = ("é" * 60 + "\n") * (limits.DOCUMENT_BYTES_MAX // 121)
    stored = put(agent, text)
    ref = of_document(stored["id"], hashes={"content_sha256": sha256(text)})
    assert agent.call("get_excerpt", source_ref=ref, level="L0")["verified"]
    body = {"title": "t", "text": "x" * (limits.DOCUMENT_BODY_BYTES_MAX + 1)}
    assert agent.post("put_document", body).status_code == 413
    notes = {"notes": [{"title": "x" * (limits.BODY_BYTES_MAX + 1)}]}
    assert agent.post("create_notes", notes).status_code == 413


# --- excerpts


def test_an_excerpt_keeps_to_its_budget_and_says_what_it_left_out(agent: Caller) -> None:
    text = "".join(f'{i:06d} <b>"quoted"</b> é\n' for i in range(4_000))
    ref = of_document(put(agent, text)["id"], locator={"line_range": {"start": 2_000, "end": 2_001}})
    levels = []
    for unit, low in (("chars", 900), ("bytes", 900), ("tokens", 300)):
        for limit in (low, 1_100, 4_000, 12_000, 60_000):
            response = agent.post(
                "get_excerpt",
                {"source_ref": ref, "level": "L2", "budget": {"unit": unit, "limit": limit}},
            )
            found = response.json()
            size = len(response.text) if unit == "chars" else len(response.content)
            used = -(-size // 4) if unit == "tokens" else size
            assert found["accounting"]["budget"] == {"unit": unit, "limit": limit, "used": used}
            assert used <= limit
            assert found["accounting"]["truncated"] == (found["level"] != "L2")
            assert found["content_sha256"] == sha256(text)
            if found["level"] is not None:
                shown = found["excerpt_span"]
                assert text.encode()[shown["start"] : shown["end"]].decode() == found["excerpt"]
                assert found["excerpt_sha256"] == sha256(found["excerpt"])
            levels.append(found["level"])
    assert levels[:5] == [None, "L0", "L0", "L1", "L2"]
    refused = agent.post("get_excerpt", {"source_ref": ref, "budget": {"limit": 50}})
    assert refused.json()["type"] == "/errors/budget_too_small"


@dataclass
class Library:
    """A service that reads a root, a work tree and a repository for the readers of scope `a`."""

    service: ServiceProcess
    top: Path
    reader: Caller
    stranger: Caller
    commit_sha: str
    callers: list[Caller] = field(default_factory=list)


@pytest.fixture(scope="module")
def library(
    operator: Caller, database: Database, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Library]:
    """See Library."""
    top = tmp_path_factory.mktemp("library")
    notes, outside = top / "notes", top / "notes-private"
    notes.mkdir()
    outside.mkdir()
    (outside / "secret.md").write_text("for nobody")
    (notes / "suppliers.md").write_text(PAGE)
    (notes / "link.md").symlink_to(outside / "secret.md")
    (notes / "dir").symlink_to(outside)
    os.mkfifo(notes / "pipe.md")
    repo = pygit2.init_repository(top / "handbook")
    (top / "handbook" / "a.md").write_text(PAGE)
    repo.index.add("a.md")
    author = pygit2.Signature("Ada", "ada@example.com", 1_600_000_000, 0)
    commit = repo.create_commit("refs/heads/main", author, author, "first", repo.index.write_tree(), [])
    (top / "handbook" / "a.md").write_text("changed since\n")
    run = os.urandom(3).hex()
    scopes = [f"project:t{run}-lib{i}" for i in range(2)]
    operator.call("create_scopes", scopes=[{"id": scope} for scope in scopes])
    tokens = operator.call(
        "create_tokens",
        tokens=[
            {"principal": f"t{run}-{i}", "kind": "agent", "grants": {scope: ["read", "write"]},
             "default_scope": scope}
            for i, scope in enumerate(scopes)
        ],
    )["results"]  # fmt: skip
    tables = [("fs", "notes", notes), ("fs_worktree", "handbook", top / "handbook"),
              ("fs_git", "handbook", top / "handbook")]  # fmt: skip
    home = top / "home"
    home.mkdir()
    (home / "graphsvc.toml").write_text(
        "".join(
            f'[resolvers.{name}.{alias}]\npath = "{path}"\nscopes = ["{scopes[0]}"]\n'
            for name, alias, path in tables
        )
    )
    service = ServiceProcess(home, database.bolt_url, database.user, database.password).start()
    callers = [Caller(service.base_url, token["token"]) for token in tokens]
    yield Library(service, top, callers[0], callers[1], str(commit), callers)
    for caller in callers:
        caller.close()
    service.stop()


def ref(resolver: str, **parts: Any) -> dict[str, Any]:
    address = {key: parts.pop(key) for key in ("root", "repo", "path", "url") if key in parts}
    return {"schema": "source_ref/v1", "resolver": resolver, "ref": address, **parts}


def test_configured_resolvers_read_for_those_who_may(library: Library) -> None:
    hashed = {"content_sha256": sha256(PAGE)}
    cases = [
        ref("fs", root="notes", path="suppliers.md", hashes=hashed),
        ref("fs_git", repo="handbook", path="a.md", state={"commit_sha": library.commit_sha}),
    ]
    for value in cases:
        found = library.reader.call("get_excerpt", source_ref=value)
        assert (found["excerpt"], found["verified"]) == (PAGE, True)
        assert library.stranger.post("get_excerpt", {"source_ref": value}).status_code == 404
    stale = library.reader.call(
        "get_excerpt", source_ref=ref("fs_worktree", repo="handbook", path="a.md", hashes=hashed)
    )
    assert (stale["verified"], stale["problems"]) == (False, ["content_hash_mismatch"])
    assert stale["tier"] == "best_effort"


ATTACKS = [
    "../notes-private/secret.md", "/etc/passwd", "link.md", "dir/secret.md", "pipe.md", "..", ".", "",
    "suppliers.md/", "./suppliers.md", "sub/../suppliers.md", "none.md", "suppliers.md\u2024",
]  # fmt: skip


def test_every_way_out_of_a_root_is_the_one_not_found(library: Library) -> None:
    told = set()
    for caller in (library.reader, library.stranger):
        for name, alias in (("fs", {"root": "notes"}), ("fs_worktree", {"repo": "handbook"})):
            for path in ATTACKS:
                response = caller.post("get_excerpt", {"source_ref": ref(name, path=path, **alias)})
                told.add((response.status_code, json.dumps(response.json() | {"request_id": ""})))
                assert "for nobody" not in response.text
    for root in ("none", "../notes-private", "notes-private"):
        response = library.reader.post("get_excerpt", {"source_ref": ref("fs", root=root, path="secret.md")})
        told.add((response.status_code, json.dumps(response.json() | {"request_id": ""})))
    assert [status for status, _ in told] == [404]


def test_what_is_off_or_unknown_is_named(library: Library) -> None:
    for value, problem in (
        (ref("url", url="https://example.com/"), "resolver_disabled"),
        (ref("lighthouse"), "resolver_unknown"),
    ):
        found = library.stranger.call("get_excerpt", source_ref=value)
        assert (found["excerpt"], found["problems"], found["verified"]) == (None, [problem], False)
        assert found["accounting"]["status"] == "no_match"


def test_a_moved_passage_is_found_again_or_said_to_be_gone(library: Library) -> None:
    file = library.top / "notes" / "moving.md"
    value = ref("fs", root="notes", path="moving.md", locator={"quote": {"exact": "same-day turnaround"},
                "text_position": {"start": 31, "end": 50, "unit": "utf8_bytes"}})  # fmt: skip
    file.write_text("New first line.\n" + PAGE)
    found = library.reader.call("get_excerpt", source_ref=value)
    assert file.read_bytes()[found["span"]["start"] : found["span"]["end"]] == b"same-day turnaround"
    file.write_text("Other text, long enough for the position to lead somewhere in it.\n")
    found = library.reader.call("get_excerpt", source_ref=value)
    assert (found["selector"], found["problems"]) == ("text_position", ["quote_not_found"])


async def test_agents_fetch_excerpts_over_mcp(library: Library) -> None:
    value = ref("fs", root="notes", path="suppliers.md")
    async with over_http(library.service.base_url, library.reader.token) as client:
        found = await answer(client, "fetch", source_ref=value)
        assert found["excerpt"] == PAGE
        assert found["framing"] == dict(FRAMING)
    async with over_http(library.service.base_url, library.stranger.token) as client:
        assert (await refusal(client, "fetch", source_ref=value))["status"] == 404


@pytest.mark.parametrize(
    ("content", "named", "words"),
    [
        ('[resolvers.fs.notes]\npath = "relative"\nscopes = ["shared"]\n', "", "must be an absolute path"),
        ("[resolvers.lighthouse]\n", "", "no such resolver is installed"),
        ("", "elsewhere.toml", "elsewhere.toml: No such file"),
    ],
)
def test_a_configuration_that_does_not_fit_stops_the_start(
    database: Database, tmp_path: Path, content: str, named: str, words: str
) -> None:
    (tmp_path / "graphsvc.toml").write_text(content)
    extra = {"GRAPHSVC_CONFIG_FILE": str(tmp_path / named)} if named else {}
    service = ServiceProcess(tmp_path, database.bolt_url, database.user, database.password, extra_env=extra)
    with pytest.raises(AssertionError, match=words):
        service.start()
