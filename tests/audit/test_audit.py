"""Audit: the log is whole, keyed, and leads to the graph; tampering is found and located (spec 08).

Goal: replay finds zero differences after any history, and `verify` finds every change made behind the service's back.
Method: random histories of every kind of write over HTTP on a real service; tampering with Cypher in the real database.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphsvc.domain.chain import content_digest, seal_entry, seal_of
from graphsvc.graph import Graph
from graphsvc.service.replay import ScopeReport, replay, verify
from graphsvc.service.sealing import heads_file, seal_all
from graphsvc.settings import Settings
from tests.conftest import Database, World
from tests.harness.neo4j_session import cypher
from tests.harness.service_process import Caller, ServiceProcess

Audit = Callable[..., ScopeReport]


@pytest.fixture
def audited(world: World, service: ServiceProcess, database: Database) -> Audit:
    """`audited(replay)`: what this audit finds in scope `a`, with the key of the service's home."""
    home = Settings(home=service.home)
    scope = world.scope("a")

    def run(check: Callable[..., Awaitable[list[ScopeReport]]], **options: Any) -> ScopeReport:
        async def work() -> ScopeReport:
            graph = Graph.connect(database.bolt_url, database.user, database.password)
            try:
                await seal_all(graph, home)
                found = await check(graph, options.get("settings", home), [scope])
            finally:
                await graph.close()
            return found[0]

        return asyncio.run(work())

    return run


NAMES = st.sampled_from(["Elm", "elm", "Fir", "Oak", "Ash"])
TEXTS = st.sampled_from(["tall", "old", "by the river", "seen in May"])
STEP = st.one_of(
    st.tuples(st.just("create"), NAMES, TEXTS, st.sampled_from([None, "tree", "plant"])),
    st.tuples(st.just("observe"), NAMES, TEXTS),
    st.tuples(st.just("forget"), NAMES, TEXTS),
    st.tuples(st.just("delete"), NAMES),
    st.tuples(
        st.just("rename"),
        NAMES,
        st.sampled_from(["Oak", "OAK", "Larch", "Elm"]),
        st.sampled_from([None, "bush"]),
    ),
    st.tuples(st.just("alias"), NAMES, NAMES),
    st.tuples(st.just("unalias"), NAMES, NAMES),
    st.tuples(st.just("relate"), NAMES, NAMES, st.sampled_from([{}, {"since": 1}, {"by": ["a", "b"]}])),
    st.tuples(st.just("unrelate"), NAMES, NAMES),
    st.tuples(st.just("task"), st.sampled_from(["T1", "T2"]), TEXTS),
    st.tuples(st.just("change"), st.sampled_from(["T1", "T2"]), st.sampled_from(["done", "open"]), TEXTS),
    st.tuples(st.just("link"), st.sampled_from(["T1", "T2"]), NAMES),
    st.tuples(st.just("unlink"), st.sampled_from(["T1", "T2"]), NAMES),
    st.tuples(st.just("reject"), st.sampled_from(["T1", "T2"]), NAMES),
    st.tuples(st.just("claim"), NAMES, TEXTS),
    st.tuples(st.just("drop"), st.integers(0, 3)),
    st.tuples(st.just("return"), st.integers(0, 3)),
    st.tuples(st.just("undo"), st.integers(0, 30)),
    st.tuples(st.just("merge"), NAMES, NAMES),
    st.tuples(st.just("unmerge"), NAMES),
)


def carry_out(caller: Caller, step: tuple[Any, ...], number: int, ids: list[str]) -> None:
    """One step of a history; most of what can go wrong with it is no error, but nothing is."""
    provenance = {"session_id": f"s{number}", "tool": "test"}
    a, b, c = (*step[1:], None, None, None)[:3]
    requests: dict[str, tuple[str, dict[str, Any]]] = {
        "create": ("create_entities", {"entities": [{"name": a, "kind": c, "observations": [b, b], "aliases": ["tree"],
                                                     "external_ids": [f"x:{a}"]}]}),
        "observe": ("add_observations", {"items": [{"entity": a, "contents": [{"text": b, "observed_at": "2026-01-01T00:00:00Z"}]}]}),
        "forget": ("delete_observations", {"items": [{"entity": a, "contents": [b]}]}),
        "delete": ("delete_entities", {"names": [a]}),
        "rename": ("update_entities", {"items": [{"entity": a, "name": b, "kind": c}]}),
        "alias": ("add_aliases", {"items": [{"entity": a, "aliases": [b, "other"]}]}),
        "unalias": ("remove_aliases", {"items": [{"entity": a, "aliases": [b, "tree"]}]}),
        "relate": ("create_relations", {"allow_self": True, "relations": [{"from": a, "type": "near", "to": b, "properties": c or {}}]}),
        "unrelate": ("delete_relations", {"relations": [{"from": a, "type": "near", "to": b}]}),
        "task": ("create_tasks", {"tasks": [{"title": b, "external_id": a, "due": "2026-05-01"}]}),
        "change": ("update_tasks", {"items": [{"task": a, "status": b, "body": c, "due": None}]}),
        "link": ("link_task_entity", {"task": a, "entity": b}),
        "unlink": ("unlink_task_entity", {"task": a, "entity": b, "reason": "no"}),
        "reject": ("reject_suggestion", {"task": a, "entity": b}),
        "claim": ("propose_claims", {"claims": [{"subject": a, "predicate": "is", "object": b}]}),
        "drop": ("retire", {"ids": ids[a : a + 3] if isinstance(a, int) else ["x"]}),
        "return": ("revive", {"ids": ids[a : a + 2] if isinstance(a, int) else ["x"]}),
        "undo": ("retire_by_provenance", {"session_id": f"s{a}"}),
        "merge": ("merge_entities", {"source": a, "target": b}),
        "unmerge": ("unmerge_entities", {"source": a}),
    }  # fmt: skip
    operation, payload = requests[step[0]]
    if "ids" in payload and not payload["ids"]:
        return
    response = caller.post(operation, {**payload, "provenance": provenance})
    assert response.status_code in ({200, 409, 422} if step[0] == "merge" else {200, 409}), (
        step,
        response.text,
    )
    if step[0] in {"task", "claim"}:
        ids.extend(r["id"] for r in response.json()["results"] if "id" in r)


def run_histories(world: World, audited: Audit, histories: int) -> None:
    """Random histories, all into one scope one after another, with a replay after each."""
    caller = world.agent(a="read,write,govern")
    ids: list[str] = []
    reports: list[ScopeReport] = []

    @settings(max_examples=histories, suppress_health_check=list(HealthCheck))
    @given(st.lists(STEP, min_size=4, max_size=20))
    def try_history(history: list[tuple[Any, ...]]) -> None:
        for number, step in enumerate(history):
            carry_out(caller, step, number, ids)
        reports.append(audited(replay))
        assert reports[-1].problems == []

    try_history()
    assert len(reports) >= histories
    assert reports[-1].things > 0
    assert audited(verify).problems == []


def test_replay_finds_no_difference_after_random_histories(world: World, audited: Audit) -> None:
    run_histories(world, audited, 5)


def test_replay_knows_every_way_in_which_a_relation_ends(world: World, audited: Audit) -> None:
    caller = world.agent(a="read,write,govern")
    caller.call("create_entities", entities=[{"name": name} for name in ("Elm", "Fir", "Oak")])
    pairs = [("Elm", "Fir"), ("Fir", "Oak"), ("Oak", "Elm")]
    relations = [{"from": a, "type": "near", "to": b} for a, b in pairs]
    caller.call("create_relations", relations=relations, provenance={"session_id": "s1"})
    caller.call("delete_relations", relations=relations[:1])
    assert audited(replay).problems == []
    caller.call("retire_by_provenance", session_id="s1")
    assert audited(replay).problems == []
    caller.call("create_relations", relations=relations[:2])
    report = audited(replay)
    assert (report.problems, report.things) == ([], 6)


@pytest.mark.long
@pytest.mark.timeout(7200)
def test_replay_finds_no_difference_after_200_random_histories(world: World, audited: Audit) -> None:
    run_histories(world, audited, 200)


@pytest.fixture
def governed(world: World) -> Caller:
    """A scope with an entity, a claim and a fact in it."""
    agent = world.agent(a="read,write,govern")
    world.operator.call("set_policy", scope=world.scope("a"), multi_evidence=True)
    refs = []
    for i in range(3):
        answer = agent.call(
            "create_entities",
            entities=[{"name": "Elm", "observations": [f"seen {i}"]}],
            provenance={"session_id": f"s{i}"},
        )
        refs.append(answer["results"][0]["observations"][0]["id"])
    evidence = [{"kind": "observation", "ref": ref} for ref in refs]
    claim = {"subject": "Elm", "predicate": "is", "object": "tall", "confidence": 0.9, "evidence": evidence}
    claim_id = agent.call("propose_claims", claims=[claim])["results"][0]["id"]
    agent.call("promote_candidate", claim=claim_id, mode="multi_evidence")
    agent.call("create_relations", allow_self=True, relations=[{"from": "Elm", "type": "near", "to": "Elm"}])
    return agent


def test_tampering_is_found_and_located(
    world: World, governed: Caller, audited: Audit, database: Database
) -> None:
    scope = world.scope("a")
    assert audited(verify).problems == []
    assert audited(replay).problems == []

    def tamper(statement: str, undo: str, check: Any, expected: str, where: str) -> None:
        rows = cypher(database, statement, scope=scope)
        assert len(rows) == 1, statement
        problems = audited(check).problems
        assert expected in [p["problem"] for p in problems], problems
        assert rows[0]["id"] in str(problems[0][where]), problems
        cypher(database, undo, scope=scope, **{k: v for k, v in rows[0].items() if k != "n"})
        assert audited(check).problems == []

    one = "MATCH (t:Transition {scope: $scope, seq: 5}) "
    tamper(one + "WITH t, t.principal AS was SET t.principal = 'somebody else' RETURN t.id AS id, was",
           one + "SET t.principal = $was RETURN $id", verify, "the seal does not fit", "transition")  # fmt: skip
    text = "MATCH (t:Transition {scope: $scope, target_kind: 'observation', after_text: $was}) "
    tamper("MATCH (t:Transition {scope: $scope, after_text: 'seen 1'}) WITH t SET t.after_text = 'seen 9' RETURN t.id AS id",
           "MATCH (t:Transition {id: $id}) SET t.after_text = 'seen 1'", verify, "the content was altered", "transition")  # fmt: skip
    assert text
    tamper("MATCH (f:Fact {scope: $scope}) SET f.object = 'small' RETURN f.id AS id",
           "MATCH (f:Fact {id: $id}) SET f.object = 'tall'", verify, "other content", "id")  # fmt: skip
    tamper("MATCH (o:Observation {scope: $scope, text: 'seen 2'}) SET o.text = 'seen 8' RETURN o.id AS id",
           "MATCH (o:Observation {id: $id}) SET o.text = 'seen 2'", replay, "other content", "id")  # fmt: skip
    tamper("MATCH ()-[r:RELATES_TO {scope: $scope}]->() SET r.property_x = 1 RETURN r.id AS id",
           "MATCH ()-[r:RELATES_TO {id: $id}]->() SET r.property_x = null", replay, "other content", "id")  # fmt: skip


def test_a_forged_approval_and_a_log_cut_short_are_found(
    world: World, governed: Caller, audited: Audit, database: Database, service: ServiceProcess
) -> None:
    scope = world.scope("a")
    sealed = audited(verify).sealed
    cypher(database, "CREATE (:Approval {id: 'app_forged', scope: $scope, revision: 1})", scope=scope)
    assert {"problem": "not in the log", "kind": "approval", "id": "app_forged"} in audited(verify).problems
    cypher(database, "MATCH (a:Approval {id: 'app_forged'}) DELETE a")
    # Cut from the middle.
    cypher(database, "MATCH (t:Transition {scope: $scope, seq: 4}) DETACH DELETE t", scope=scope)
    assert {"problem": "transitions are missing", "after_seq": 3, "before_seq": 5} in audited(verify).problems
    # Cut at the end, the end in the database moved along with it: the file knows better.
    cypher(database, "MATCH (t:Transition {scope: $scope}) WHERE t.seq >= 4 DETACH DELETE t", scope=scope)
    cypher(
        database,
        "MATCH (t:Transition {scope: $scope, seq: 3}) MATCH (h:ChainHead {scope: $scope}) SET h.seq = 3, h.seal = t.seal",
        scope=scope,
    )
    assert str(sealed) in heads_file(Settings(home=service.home)).read_text()
    problems = [problem["problem"] for problem in audited(verify).problems]
    assert "ends that were kept outside are not in the chain" in problems
    # Without the key nothing can be sealed anew so that it fits.
    other = Settings(home=service.home / "other")
    assert "the seal does not fit" in [p["problem"] for p in audited(verify, settings=other).problems]


def test_an_erasure_on_record_breaks_nothing_and_one_that_is_not_is_found(
    world: World, governed: Caller, audited: Audit, database: Database
) -> None:
    scope = world.scope("a")
    audited(verify)
    erased = cypher(
        database,
        "MATCH (t:Transition {scope: $scope, after_text: 'seen 1'}) SET t.after_text = null, t.salt = null "
        "RETURN t.id AS id, t.target_id AS target",
        scope=scope,
    )[0]
    problem = audited(verify).problems[0]
    assert (problem["problem"], problem["transition"]) == (
        "content is gone without an erasure on record",
        erased["id"],
    )
    cypher(
        database,
        "CREATE (:Transition {id: 'trn_erase' + $target, target_id: $target, target_kind: 'erasure', scope: $scope, "
        "revision: 99, at: datetime(), op: 'erase', principal: 'operator', unsealed: true})",
        scope=scope,
        target=erased["target"],
    )
    assert audited(verify).problems == []


@settings(suppress_health_check=list(HealthCheck))
@given(
    st.dictionaries(
        st.sampled_from(["after_a", "before_b", "op", "at", "n"]),
        st.one_of(st.text(), st.integers(-(2**63), 2**63 - 1)),
    )
)
def test_a_seal_covers_everything_and_content_by_its_salted_digest_only(entry: dict[str, Any]) -> None:
    key = b"k" * 32
    seal = seal_entry(key, "before", 7, entry)
    assert seal_of(key, "before", 7, entry, seal.content_sha256) == seal.seal
    assert content_digest(entry, seal.salt) == seal.content_sha256
    assert seal_of(b"other", "before", 7, entry, seal.content_sha256) != seal.seal
    assert seal_of(key, "before", 8, entry, seal.content_sha256) != seal.seal
    assert seal_of(key, "after", 7, entry, seal.content_sha256) != seal.seal
    changed = {**entry, "op": "another"}
    assert seal_of(key, "before", 7, changed, seal.content_sha256) != seal.seal
    without = {name: value for name, value in entry.items() if not name.startswith(("after_", "before_"))}
    assert seal_of(key, "before", 7, without, seal.content_sha256) == seal.seal
