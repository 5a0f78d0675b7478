"""Known ways in which a scope could leak, each as a small story; also what the mutants of query files must fail.

Goal: every gated query is exercised by a principal who must not see what is beside it. Method: two agents, one of
whom sees more; canaries in everything that the other must not see; every operation of the second is scanned.
"""

import os
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Database, World
from tests.harness.canary import Canaries
from tests.harness.neo4j_session import cypher
from tests.harness.service_process import Caller, ServiceProcess
from tests.http.authorization_cases import CASES, Target


class Border:
    """A scope `a` that both see, a scope `b` that only `seer` sees, and things on both sides and across."""

    def __init__(self, world: World) -> None:
        self.seer = world.agent(a="read,write", b="read,write")
        self.blind = world.agent(a="read,write")
        self.a, self.b = world.scope("a"), world.scope("b")
        self.canaries = Canaries()
        self.secret = secret = self.canaries.of(self.b)
        self.canaries.of(self.a)
        make = self.seer.call
        hidden = {
            "name": "Harbor",
            "kind": secret,
            "aliases": ["Dock", secret],
            "observations": [f"tidal {secret}"],
        }
        made = make(
            "create_entities",
            scope=self.b,
            entities=[hidden, {"name": f"Mole {secret}", "observations": [secret]}],
        )
        self.hidden, self.mole = (result["id"] for result in made["results"])
        seen = {"name": "Quay", "observations": ["tidal stones"]}
        self.seen = make("create_entities", scope=self.a, entities=[seen])["results"][0]["id"]
        for scope, entity in ((self.b, self.seen), (self.a, self.hidden)):
            item = {"entity": {"id": entity}, "contents": [f"tidal across {secret}"]}
            make("add_observations", scope=scope, items=[item], provenance={"session_id": "s"})
            make(
                "add_aliases",
                scope=scope,
                items=[{"entity": {"id": entity}, "aliases": [f"across {secret}", "Pier"]}],
            )
        for scope in (self.a, self.b):
            for source, target in ((self.seen, self.hidden), (self.hidden, self.mole)):
                relation = {"from": {"id": source}, "type": f"to {secret}", "to": {"id": target}}
                make("create_relations", scope=scope, relations=[relation])
        tasks = [{"title": f"Order {secret}", "body": "Quay", "external_id": "t-1"}]
        self.task = make("create_tasks", scope=self.b, tasks=tasks)["results"][0]["id"]
        self.note = make("create_notes", scope=self.b, notes=[{"title": secret}])["results"][0]["id"]
        self.document = make("put_document", scope=self.b, title=secret, text=f"kept {secret}")["id"]
        own = [{"title": "Order stones", "body": "Quay tidal Harbor Dock", "external_id": "t-2"}]
        self.own_task = make("create_tasks", scope=self.a, tasks=own)["results"][0]["id"]
        for task, entity in ((self.task, self.seen), (self.own_task, self.hidden), (self.task, self.hidden)):
            make("link_task_entity", task=task, entity={"id": entity})

    def ask(self, operation: str, **payload: Any) -> Any:
        """What the one who must not see hears, scanned."""
        response = self.blind.post(operation, payload)
        self.canaries.check(response, [self.a])
        return (
            response.json() if response.headers["content-type"] != "application/x-ndjson" else response.text
        )


@pytest.fixture
def border(world: World) -> Border:
    """A border of its own."""
    return Border(world)


def test_nothing_across_the_border_is_seen_or_counted(border: Border) -> None:
    opened = border.ask(
        "open_nodes", names=["Quay", "Harbor", "Dock", "Pier", {"id": border.hidden}], neighbours=True
    )
    assert [record["entity"]["name"] for record in opened["entities"]] == ["Quay"]
    assert opened["missing"] == ["Harbor", "Dock", "Pier", {"id": border.hidden}]
    quay = opened["entities"][0]
    assert (len(quay["observations"]), quay["relations"], quay["relations_elsewhere"]) == (1, [], 0)
    assert quay["entity"]["aliases"] == []
    for project in (None, border.a, border.b):
        payload = {"query": "tidal Quay Harbor Pier Dock", "pointers": True}
        found = border.ask("search_by_project", project=project, **payload) if project else border.ask(
            "search_nodes", **payload
        )  # fmt: skip
        assert [hit["entity"]["id"] for hit in found["evidence"]] == (
            [] if project == border.b else [border.seen]
        )
        assert found["accounting"]["observations"]["matched"] == len(found["evidence"])
        pointers = [
            (p["entity_id"], p["observations"], p["relations"], p["tasks"])
            for p in found["pointers"]["items"]
        ]
        assert pointers == ([] if project == border.b else [(border.seen, 1, 0, 0)])
        assert found["accounting"]["pointers"]["ambiguous"] == 0
    assert [scope["id"] for scope in border.ask("list_scopes")["scopes"] if scope["id"] != "shared"] == [
        border.a
    ]


def test_an_empty_scope_is_told_as_empty_whatever_is_elsewhere(border: Border, world: World) -> None:
    nobody = world.agent(e="read,write")
    answer = nobody.call("search_nodes", query="tidal", scopes=[world.scope("e"), border.b])
    assert answer["accounting"]["status"] == "empty_graph"


def test_tasks_across_the_border_are_not_there(border: Border) -> None:
    assert border.ask("get_entity_tasks", entity="Quay", include_removed=True)["links"] == []
    assert border.ask("get_task_links", task=border.own_task, include_removed=True)["links"] == []
    assert border.ask("get_task_links", task=border.task)["status"] == 404
    assert border.ask("get_task_links", task="t-1")["status"] == 404
    assert border.ask("get_entity_tasks", entity={"id": border.hidden})["status"] == 404
    suggested = border.ask("suggest_task_links", task=border.own_task, limit=20)["suggestions"]
    assert {suggestion["entity"]["id"] for suggestion in suggested} <= {border.seen}
    border.ask("export_link_labels")


def test_the_past_shows_no_more_than_the_present(border: Border) -> None:
    then = datetime.now(UTC).isoformat()
    time.sleep(2.1)
    opened = border.ask(
        "open_nodes", names=["Quay", {"id": border.hidden}, "Pier"], neighbours=True, as_of=then
    )
    assert [len(record[part]) for record in opened["entities"] for part in ("observations", "relations")] == [
        1,
        0,
    ]
    graph = border.ask("read_graph", as_of=then)
    assert [graph["totals"][part] for part in ("entities", "observations", "relations")] == [1, 1, 0]
    assert [record["entity"]["id"] for record in graph["entities"]] == [border.seen]
    for project in (border.a, border.b, None):
        payload = {"query": "tidal Quay Harbor Pier Dock stones", "pointers": True, "as_of": then}
        found = border.ask("search_by_project", project=project, **payload) if project else border.ask(
            "search_nodes", **payload
        )  # fmt: skip
        ids = [] if project == border.b else [border.seen]
        assert [hit["entity"]["id"] for hit in found["evidence"]] == ids
        assert found["accounting"]["observations"]["matched"] == len(ids)
        pointers = [
            (p["entity_id"], p["observations"], p["relations"], p["tasks"])
            for p in found["pointers"]["items"]
        ]
        assert pointers == [(i, 1, 0, 0) for i in ids]
    seer = border.seer.call(
        "search_by_project", query="tidal", project=border.a, include_shared=True, as_of=then
    )
    assert [hit["entity"]["id"] for hit in seer["evidence"]] == [border.seen]
    for phrase in ("Order", "Harbor", "Pier", "Quay"):
        hits = border.ask("find_by_title", phrase=phrase, as_of=then)["hits"]
        assert {hit["id"] for hit in hits} <= {border.seen, border.own_task}
    assert border.ask("get_entity_tasks", entity="Quay", include_removed=True, as_of=then)["links"] == []
    assert border.ask("get_task_links", task=border.own_task, include_removed=True, as_of=then)["links"] == []
    for task in (border.task, "t-1"):
        assert border.ask("get_task_links", task=task, as_of=then)["status"] == 404
    border.ask("get_history", entity="Quay", as_of=then)
    border.ask("list_claims", as_of=then)
    border.ask("list_facts", as_of=then)


def test_merging_across_the_border_changes_and_tells_nothing(border: Border, world: World) -> None:
    blind = world.agent(a="read,write,govern")
    blind.call("create_entities", entities=[{"name": "Own"}])
    for operation, payload in (
        ("merge_entities", {"source": {"id": border.hidden}, "target": "Own"}),
        ("merge_entities", {"source": "Own", "target": {"id": border.hidden}}),
        ("unmerge_entities", {"source": {"id": border.hidden}}),
    ):
        assert border.canaries.check(blind.post(operation, payload), [border.a]) is None
        assert blind.call(operation, **payload)["outcome"] == "skipped"
    governor = world.agent(b="read,write,govern")
    governor.call("merge_entities", source="Harbor", target={"id": border.mole})
    assert blind.call("unmerge_entities", source="Harbor")["outcome"] == "skipped"
    assert border.ask("open_nodes", names=[{"id": border.hidden}, "Harbor"])["entities"] == []


def test_the_score_of_a_link_rests_on_what_all_see_who_see_the_link(border: Border) -> None:
    for scope, thing in ((border.b, border.mole), (border.b, border.hidden)):
        relation = {"from": {"id": border.seen}, "type": "beside", "to": {"id": thing}}
        border.seer.call("create_relations", scope=scope, relations=[relation])
        border.seer.call("link_task_entity", task=border.own_task, entity={"id": thing})
    suggested = border.ask("suggest_task_links", task=border.own_task)["suggestions"]
    border.seer.call("link_task_entity", task=border.own_task, entity="Quay")
    link = border.ask("get_task_links", task=border.own_task)["links"][0]
    assert (link["score"], link["signals"]) == (suggested[0]["score"], suggested[0]["signals"])


def test_what_is_hidden_resolves_to_nothing_and_nothing_is_changed(border: Border) -> None:
    before = border.seer.call(
        "open_nodes", names=[{"id": border.hidden}, {"id": border.mole}], neighbours=True
    )["entities"]
    target = Target(
        "foreign", border.b, "Harbor", border.hidden, "tok_x", border.task, border.note, border.document
    )
    for operation, case in CASES.items():
        border.ask(operation, **case(target))
    for operation in ("update_entities", "add_observations", "add_aliases"):
        fields = {
            "update_entities": {"kind": "x"},
            "add_observations": {"contents": ["x"]},
            "add_aliases": {"aliases": ["x"]},
        }
        answer = border.ask(operation, items=[{"entity": "Dock", **fields[operation]}])
        assert answer["results"] == [{"index": 0, "outcome": "skipped"}]
    new = border.ask("create_entities", entities=[{"name": "Harbor", "aliases": ["Dock"]}])["results"][0]
    assert (new["outcome"], new["aliases"]) == ("created", [{"index": 0, "outcome": "added"}])
    border.ask("delete_entities", names=["Harbor"])
    after = border.seer.call(
        "open_nodes", names=[{"id": border.hidden}, {"id": border.mole}], neighbours=True
    )["entities"]
    assert after == before
    assert border.seer.call("get_task_links", task=border.task)["links"]


def test_documents_across_the_border_are_not_there(border: Border) -> None:
    stored = border.seer.call("put_document", scope=border.b, title=border.secret, text=border.secret)
    own = border.ask("put_document", scope=border.a, title="Stones", text="tidal stones")
    ref = {"schema": "source_ref/v1", "resolver": "graph_doc", "ref": {"doc_id": stored["id"]}}
    chunk = {**ref, "ref": {"doc_id": own["id"], "chunk_id": stored["chunks"][0]["id"]}}
    for hidden in (ref, {**ref, "ref": {**ref["ref"], "chunk_id": stored["chunks"][0]["id"]}}, chunk):
        assert border.ask("get_excerpt", source_ref=hidden)["status"] == 404
    assert border.ask("get_provenance", id=stored["id"])["status"] == 404
    assert border.ask("retire", ids=[stored["id"]])["retired"] == 0
    assert border.seer.call("get_excerpt", source_ref=ref)["excerpt"] == border.secret
    border.seer.call("retire", ids=[stored["id"]])
    assert border.ask("revive", ids=[stored["id"]])["revived"] == 0
    assert border.seer.post("get_excerpt", {"source_ref": ref}).status_code == 404


def test_candidates_and_their_links_keep_to_their_side(
    border: Border, database: Database, service: ServiceProcess, tmp_path: Path
) -> None:
    tree = os.environ.get("GRAPHSVC_TEST_TREE") or str(Path(__file__).resolve().parents[2])

    def ingest(caller: Caller, *arguments: str) -> str:
        environment = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": tree,
            "GRAPHSVC_HOME": str(service.home),
            "GRAPHSVC_NEO4J_URI": database.bolt_url,
            "GRAPHSVC_NEO4J_USER": database.user,
            "GRAPHSVC_NEO4J_PASSWORD": database.password,
            "GRAPHSVC_TOKEN": caller.token,
        }
        command = [sys.executable, "-m", "graphsvc", "ingest", *arguments]
        done = subprocess.run(
            command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    (tmp_path / "graphsvc.toml").write_text("[memory]\nknowledge_entities = true\n")
    (tmp_path / ".agent-memory").mkdir()
    (tmp_path / ".agent-memory" / "a.md").write_text(f"Dock and Pier and {border.hidden} in words.")
    for scope in (border.a, border.b):
        told = ingest(border.seer, "--json", "--write", "--scope", scope)
        assert ("memory_relations" in told) is (scope == border.b), "one who sees more links no wider"
    assert "memory_relations" not in ingest(border.blind, "--json", "--scope", border.a)
    rows = cypher(
        database,
        "MATCH (c:Candidate {scope: $scope}) RETURN c.id AS id, c.retired_at AS retired",
        scope=border.b,
    )
    ids = [row["id"] for row in rows]
    assert len(ids) == 1
    assert border.ask("get_provenance", id=ids[0])["status"] == 404
    assert border.ask("retire", ids=ids)["retired"] == 0
    assert border.seer.call("retire", ids=ids)["retired"] == 1
    assert border.ask("revive", ids=ids)["revived"] == 0
    assert border.seer.call("revive", ids=ids)["revived"] == 1


def test_the_seer_may_not_write_where_it_only_reads(world: World) -> None:
    """Visible is not writable: nothing of a scope with `read` alone is changed or retired, by name, id or text."""
    owner, reader = world.agent(r="read,write"), world.agent(w="read,write", r="read")
    entity = {"name": "Elm", "aliases": ["Ulmus"], "observations": ["tall"]}
    elm = owner.call("create_entities", entities=[entity, {"name": "Fir"}])["results"][0]["id"]
    relation = {"from": "Elm", "type": "near", "to": "Fir"}
    owner.call("create_relations", relations=[relation])
    task = owner.call("create_tasks", tasks=[{"title": "Prune", "external_id": "t-9"}])["results"][0]["id"]
    owner.call("link_task_entity", task=task, entity="Elm")
    before = owner.call("open_nodes", names=["Elm"], neighbours=True)["entities"]
    observation = before[0]["observations"][0]["id"]
    for payload in (
        ("delete_entities", {"names": ["Elm", {"id": elm}]}),
        ("delete_observations", {"items": [{"entity": "Elm", "contents": ["tall", {"id": observation}]}]}),
        ("delete_relations", {"relations": [relation]}),
        ("remove_aliases", {"items": [{"entity": "Elm", "aliases": ["Ulmus"]}]}),
        ("retire", {"ids": [task]}),
    ):
        assert reader.call(payload[0], **payload[1])["retired"] == 0
    assert (
        reader.call("update_entities", items=[{"entity": "Elm", "kind": "x"}])["results"][0]["outcome"]
        == "skipped"
    )
    assert (
        reader.call("update_tasks", items=[{"task": task, "title": "x"}])["results"][0]["outcome"]
        == "skipped"
    )
    assert reader.call("unlink_task_entity", task=task, entity="Elm")["removed"] == 0
    assert reader.call("link_task_entity", task=task, entity="Fir")["outcome"] == "skipped"
    assert reader.call("reject_suggestion", task=task, entity="Fir")["outcome"] == "skipped"
    assert owner.call("open_nodes", names=["Elm"], neighbours=True)["entities"] == before
    assert len(owner.call("get_task_links", task=task)["links"]) == 1


def test_a_repeated_key_answers_under_todays_grants(world: World, operator: Caller) -> None:
    """Two tokens of one principal: what the wider one was told is not told to the narrower one."""
    a, b = world.scope("a"), world.scope("b")
    name = f"agent-{os.urandom(4).hex()}"
    tokens = [
        {"principal": name, "kind": "agent", "default_scope": a, "grants": {a: ["read", "write"], **more}}
        for more in ({b: ["read"]}, {})
    ]
    made = operator.call("create_tokens", tokens=tokens)["results"]
    wide, narrow = (Caller(world.base_url, result["token"]) for result in made)
    hidden = operator.call("create_entities", scope=b, resolve="own_scope", entities=[{"name": "Harbor"}])
    hidden = hidden["results"][0]["id"]
    payload = {"entities": [{"name": "Harbor"}, {"name": "Quay"}]}
    first = wide.post("create_entities", payload, Idempotency_Key="k")
    assert [result["outcome"] for result in first.json()["results"]] == ["existing", "created"]
    assert hidden in first.text
    again = narrow.post("create_entities", payload, Idempotency_Key="k")
    assert again.headers["idempotent-replayed"] == "true"
    assert hidden not in again.text
    assert b not in again.text
    assert again.json()["results"][1] == first.json()["results"][1]
    assert (
        wide.post("create_entities", payload, Idempotency_Key="k").json()["results"]
        == first.json()["results"]
    )
    for caller in (wide, narrow):
        caller.close()


def test_an_operator_searches_however_many_scopes_there_are(world: World, operator: Caller) -> None:
    run = os.urandom(3).hex()
    scopes = [{"id": f"project:many-{run}-{i}"} for i in range(600)]
    operator.call("create_scopes", scopes=scopes)
    far = {"name": f"Far {run}", "observations": [f"a thimble of {run}"]}
    operator.call("create_entities", scope=scopes[-1]["id"], entities=[far])
    found = operator.call("search_nodes", query=f"thimble {run}", pointers=True)
    assert found["evidence"][0]["entity"]["name"] == far["name"]
