"""merge_entities and unmerge_entities (spec 01).

Goal: the survivor answers for both and has everything once; taking the merge back gives exactly what each had. Method:
over HTTP, on worlds made by hand and on random ones, comparing all reads before the merge with those after its undoing.
"""

import time
from datetime import UTC, datetime
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.conftest import World
from tests.harness.service_process import Caller
from tests.reads.every_read import every_read


def governor(world: World) -> Caller:
    """Reads, writes and governs scope `a` of its world."""
    return world.agent(a="read,write,govern")


def opened(caller: Caller, *names: Any, **options: Any) -> list[Any]:
    """Records of these entities, without when they were seen last."""
    answer = caller.call("open_nodes", names=list(names), neighbours=True, **options)
    for record in answer["entities"]:
        record["entity"].pop("last_seen_at")
        for observation in record["observations"]:
            observation.pop("last_seen_at")
    found: list[Any] = answer["entities"]
    return found


def texts(record: dict[str, Any]) -> list[str]:
    """Its facts, sorted."""
    return sorted(observation["text"] for observation in record["observations"])


def two_of_a_kind(caller: Caller) -> tuple[str, str]:
    """A survivor and a source with things in common, and a third entity that knows both."""
    caller.call("create_entities", entities=[{"name": "Paul Pack"}, {"name": "Hall 4"}])
    made = caller.call(
        "create_entities",
        entities=[
            {"name": "Acme Print", "aliases": ["Acme"], "observations": ["prints", "is closed on Mondays"]},
            {
                "name": "ACME Printing Ltd",
                "aliases": ["APL"],
                "observations": ["prints", "moved to Hall 4"],
                "external_ids": ["crm:17"],
            },
        ],
    )["results"]
    caller.call(
        "create_relations",
        relations=[
            {"from": "Acme Print", "type": "supplies", "to": "Paul Pack"},
            {"from": "APL", "type": "supplies", "to": "Paul Pack"},
            {"from": "Paul Pack", "type": "pays", "to": "APL", "properties": {"days": 30}},
            {"from": "APL", "type": "same as", "to": "Acme Print"},
        ],
    )
    caller.call("create_tasks", tasks=[{"title": "Order the boxes", "external_id": "T-1"}])
    caller.call("link_task_entity", task="T-1", entity="APL")
    return made[0]["id"], made[1]["id"]


def test_the_survivor_answers_for_both_and_has_everything_once(world: World) -> None:
    caller = governor(world)
    survivor, source = two_of_a_kind(caller)
    names = ("APL", "ACME Printing Ltd", {"id": source}, {"external_id": "crm:17"}, "Acme Print")
    dry = caller.call("merge_entities", source="APL", target="Acme", dry_run=True)
    assert (dry["outcome"], dry["source"], dry["target"]) == ("would_merge", source, survivor)
    assert opened(caller, "APL")[0]["entity"]["id"] == source
    told = caller.call("merge_entities", source="APL", target="Acme")
    assert {**told, "outcome": "", "request_id": "", "bookmark": ""} == {
        **dry,
        "outcome": "",
        "request_id": "",
        "bookmark": "",
    }
    assert told["moved"] == {"observations": 1, "relations": 1, "aliases": 2, "links": 1}
    assert told["duplicates"] == {"observations": 1, "relations": 1, "aliases": 0, "links": 0}
    assert told["hidden_relations"] == 1
    for name in names:
        (record,) = opened(caller, name)
        assert record["entity"]["id"] == survivor, name
        assert texts(record) == ["is closed on Mondays", "moved to Hall 4", "prints"]
        assert sorted((r["type"], r["direction"]) for r in record["relations"]) == [
            ("pays", "in"),
            ("supplies", "out"),
        ]
        assert [r["properties"] for r in record["relations"] if r["type"] == "pays"] == [{"days": 30}]
    assert caller.call("get_entity_tasks", entity={"id": source})["links"][0]["task"]["external_id"] == "T-1"
    hits = caller.call("search_nodes", query="ACME Printing Ltd moved", pointers=True)
    assert hits["evidence"][0]["entity"]["id"] == survivor
    assert [pointer["entity_id"] for pointer in hits["pointers"]["items"]] == [survivor]
    assert caller.call("read_graph")["totals"]["entities"] == 3
    again = caller.call("merge_entities", source="APL", target="Acme")
    assert (again["outcome"], again["source"], again["target"]) == ("existing", source, survivor)


def test_new_writes_go_to_the_survivor_and_stay_with_it(world: World) -> None:
    caller = governor(world)
    survivor, source = two_of_a_kind(caller)
    caller.call("merge_entities", source="APL", target="Acme Print")
    made = caller.call(
        "create_entities", entities=[{"name": "acme printing ltd", "observations": ["has a new roof"]}]
    )["results"][0]
    assert (made["outcome"], made["id"]) == ("existing", survivor)
    caller.call("add_observations", items=[{"entity": {"id": source}, "contents": ["moved to Hall 4"]}])
    caller.call("delete_observations", items=[{"entity": "APL", "contents": ["prints"]}])
    undone = caller.call("unmerge_entities", source="APL")
    assert (undone["outcome"], undone["source"], undone["target"]) == ("unmerged", source, survivor)
    kept, back = opened(caller, {"id": survivor}, {"id": source})
    assert texts(kept) == ["has a new roof", "is closed on Mondays", "moved to Hall 4"]
    assert texts(back) == ["moved to Hall 4", "prints"]
    assert caller.call("unmerge_entities", source="APL")["outcome"] == "skipped"


def test_history_and_the_past_tell_of_the_merge(world: World) -> None:
    caller = governor(world)
    survivor, source = two_of_a_kind(caller)
    moments = []
    for operation, payload in (
        ("whoami", {}),
        ("merge_entities", {"source": "APL", "target": "Acme Print"}),
        ("unmerge_entities", {"source": "APL"}),
    ):
        caller.call(operation, **payload)
        time.sleep(0.01)
        moments.append((datetime.now(UTC).isoformat(), opened(caller, {"id": source}, "APL", "Acme")))
        time.sleep(0.01)
    time.sleep(2.1)
    for instant, told in moments:
        assert opened(caller, {"id": source}, "APL", "Acme", as_of=instant) == told
    ops = [
        t["op"]
        for t in caller.call("get_history", entity={"id": source})["transitions"]
        if t["target"]["kind"] == "entity"
    ]
    assert ops == ["create", "merge", "unmerge"]
    moved = [
        t["op"]
        for t in caller.call("get_history", entity={"id": survivor})["transitions"]
        if t["provenance"].get("merged_from") == source
    ]
    assert sorted(moved) == sorted(["create"] * 5 + ["retire"] * 4 + ["unlink"])


def test_chains_are_taken_back_from_their_end_and_there_are_no_cycles(world: World) -> None:
    caller = governor(world)
    caller.call(
        "create_entities", entities=[{"name": name, "observations": [f"is {name}"]} for name in "ABC"]
    )
    before = opened(caller, "A", "B", "C")
    caller.call("merge_entities", source="A", target="B")
    assert caller.post("merge_entities", {"source": "B", "target": "A"}).status_code == 422
    caller.call("merge_entities", source="B", target="C")
    assert texts(opened(caller, "A")[0]) == ["is A", "is B", "is C"]
    assert caller.call("audit_memory")["problems"] == []
    assert caller.post("unmerge_entities", {"source": "A"}).status_code == 409
    caller.call("unmerge_entities", source="B")
    assert texts(opened(caller, "A")[0]) == ["is A", "is B"]
    caller.call("unmerge_entities", source="A")
    assert opened(caller, "A", "B", "C") == before
    assert caller.call("audit_memory")["problems"] == []


def test_merging_needs_govern_and_one_scope(world: World) -> None:
    caller = governor(world)
    two_of_a_kind(caller)
    assert (
        world.agent(a="read,write").post("merge_entities", {"source": "APL", "target": "Acme"}).status_code
        == 403
    )
    outside = world.agent(b="read,write,govern")
    foreign = outside.call("merge_entities", source="APL", target="Acme")
    missing = outside.call("merge_entities", source="Nobody", target="None")
    assert foreign["outcome"] == missing["outcome"] == "skipped"
    both = world.agent(a="read,write,govern", b="read,write,govern")
    both.call("create_entities", scope=world.scope("b"), entities=[{"name": "Elsewhere"}])
    assert both.post("merge_entities", {"source": "Elsewhere", "target": "Acme"}).status_code == 409
    assert caller.post("merge_entities", {"source": "Acme", "target": "Acme Print"}).status_code == 422


def test_notes_of_other_scopes_come_with_their_entity_and_are_not_told_of(world: World) -> None:
    caller = governor(world)
    survivor, source = two_of_a_kind(caller)
    private = world.agent(b="read,write", a="read")
    private.call("add_observations", items=[{"entity": {"id": source}, "contents": ["owes us money"]}])
    assert caller.call("merge_entities", source="APL", target="Acme")["moved"]["observations"] == 1
    assert "owes us money" in texts(opened(private, {"id": survivor})[0])
    assert "owes us money" not in str(opened(caller, {"id": survivor}))
    caller.call("unmerge_entities", source="APL")
    assert "owes us money" in texts(opened(private, {"id": source})[0])
    assert "owes us money" not in str(opened(private, {"id": survivor}))


def test_the_undo_of_a_bad_run_reaches_what_a_merge_has_moved(world: World) -> None:
    caller = governor(world)
    survivor, _ = two_of_a_kind(caller)
    items = [{"entity": "APL", "contents": ["is bankrupt", "owes everybody"]}]
    caller.call("add_observations", items=items, provenance={"session_id": "bad"})
    caller.call("merge_entities", source="APL", target="Acme")
    caller.call("add_observations", items=[{"entity": "Acme", "contents": ["owes everybody"]}])
    dry = caller.call("retire_by_provenance", session_id="bad", dry_run=True)["would_retire"]
    assert dry["observations"] == 3
    assert caller.call("retire_by_provenance", session_id="bad")["retired"] == dry
    assert texts(opened(caller, {"id": survivor})[0]) == [
        "is closed on Mondays",
        "moved to Hall 4",
        "owes everybody",
        "prints",
    ]


NAMES = ["Elm", "Fir", "Oak"]
facts = st.lists(st.sampled_from(["is green", "is tall", "is old"]), max_size=3, unique=True)
entities = st.tuples(facts, st.lists(st.sampled_from(["Tree", "Wood"]), max_size=2, unique=True))
triples = st.tuples(st.sampled_from(NAMES), st.sampled_from(["near", "above"]), st.sampled_from(NAMES))


def test_unmerge_after_merge_is_as_if_nothing_had_been(world: World) -> None:
    numbers = iter(range(10_000))

    @settings(
        max_examples=4,
        deadline=None,
        database=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )
    @given(
        st.tuples(entities, entities, entities),
        st.lists(triples, max_size=5),
        st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(["is green", "near"])), max_size=2),
        st.lists(
            st.sampled_from([("Elm", "Fir"), ("Oak", "Fir"), ("Fir", "Oak"), ("Fir", "Elm")]),
            min_size=1,
            max_size=2,
        ),
    )
    def check(made: Any, relations: Any, retired: Any, merges: list[tuple[str, str]]) -> None:
        caller = world.agent(**{f"m{next(numbers)}": "read,write,govern"})
        project = caller.call("whoami")["default_scope"]
        for name, (observations, aliases) in zip(NAMES, made, strict=True):
            entity = {"name": name, "observations": observations, "aliases": aliases}
            caller.call("create_entities", entities=[entity])
        for start, relation_type, end in relations:
            triple = {"from": start, "type": relation_type, "to": end}
            caller.call("create_relations", relations=[triple], allow_self=True)
        for name, what in retired:
            caller.call("delete_observations", items=[{"entity": name, "contents": [what]}])
            caller.call("delete_relations", relations=[{"from": name, "type": what, "to": "Oak"}])

        def all_reads() -> dict[str, Any]:
            return every_read(caller, [*NAMES, "Tree", "Wood"], ["tall tree elm"], project, [])

        before = all_reads()
        done = []
        for source, target in merges:
            response = caller.post("merge_entities", {"source": source, "target": target})
            if response.status_code == 200 and response.json()["outcome"] == "merged":
                done.append(response.json()["source"])
        assert done
        for source in reversed(done):
            assert caller.call("unmerge_entities", source={"id": source})["outcome"] == "unmerged"
        after = all_reads()
        for what, told in before.items():
            assert after[what] == told, (what, merges)

    check()
