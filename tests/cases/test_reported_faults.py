"""Faults that users of similar systems reported, each as a small story with the right answer for ours.

Goal: the whole kind of each fault is impossible here. Method: over HTTP against the real service; the numbers are those of
the collection of reports. Cases 2, 16 and 25 (races, lost connections) are beside their kind in tests/http and tests/faults.
"""

import unicodedata
from typing import Any

import pytest

from tests.conftest import World
from tests.harness.service_process import Caller


def names_found(answer: dict[str, Any]) -> list[str]:
    """The names of a search answer's evidence, in order."""
    return [record["entity"]["name"] for record in answer["evidence"]]


def texts_found(answer: dict[str, Any]) -> list[str]:
    """The texts of a search answer's evidence, in order."""
    return [observation["text"] for record in answer["evidence"] for observation in record["observations"]]


def test_1_a_relation_between_entities_that_are_not_there_is_skipped(agent: Caller) -> None:
    answer = agent.call("create_relations", relations=[{"from": "Alder", "type": "knows", "to": "Birch"}])
    assert answer["results"] == [{"index": 0, "outcome": "skipped"}]
    assert answer["counts"] == {"skipped": 1}
    assert agent.call("open_nodes", names=["Alder", "Birch"])["missing"] == ["Alder", "Birch"]


def test_3_a_record_without_kind_and_with_null_facts_spoils_no_search(agent: Caller) -> None:
    answer = agent.call(
        "create_entities",
        entities=[
            {"name": "Nullish", "kind": None, "observations": None},
            {"name": "Bare", "kind": None},
            {"name": "Whole", "observations": ["a pumpkin"]},
        ],
    )
    assert [result["outcome"] for result in answer["results"]] == ["invalid", "created", "created"]
    assert answer["results"][0]["errors"][0]["path"] == "$.observations"
    assert names_found(agent.call("search_nodes", query="pumpkin")) == ["Whole"]


def test_4_opening_one_entity_says_how_many_relations_lead_elsewhere(agent: Caller) -> None:
    agent.call("create_entities", entities=[{"name": "Cedar"}, {"name": "Dogwood"}])
    agent.call("create_relations", relations=[{"from": "Cedar", "type": "is", "to": "Dogwood"}])
    alone = agent.call("open_nodes", names=["Cedar"])["entities"][0]
    assert (alone["relations"], alone["relations_elsewhere"]) == ([], 1)
    both = agent.call("open_nodes", names=["Cedar", "Dogwood"])["entities"]
    assert [[r["type"] for r in record["relations"]] for record in both] == [["is"], []]
    expanded = agent.call("open_nodes", names=["Dogwood"], neighbours=True)["entities"][0]["relations"]
    assert [(r["direction"], r["entity"]["name"]) for r in expanded] == [("in", "Cedar")]


def test_6_a_kind_that_looks_like_cypher_is_text(agent: Caller) -> None:
    kind = "note`) SET e.flag=true //"
    agent.call("create_entities", entities=[{"name": "Injected", "kind": kind}])
    entity = agent.call("open_nodes", names=["Injected"])["entities"][0]["entity"]
    assert entity["kind"] == kind
    assert "flag" not in entity


def test_7_relation_types_with_punctuation_are_kept_and_told_apart(agent: Caller) -> None:
    agent.call("create_entities", entities=[{"name": "P"}, {"name": "Q"}])
    types = ["non-compliant", "co-owner of", "a/b"]
    answer = agent.call(
        "create_relations", relations=[{"from": "P", "type": type_, "to": "Q"} for type_ in types]
    )
    assert answer["counts"] == {"created": 3}
    assert [
        r["type"] for r in agent.call("open_nodes", names=["P", "Q"])["entities"][0]["relations"]
    ] == types


@pytest.mark.parametrize(
    "query", ['"', "[", "a:b", "*", "foo AND", "\\", "AND OR NOT", "~", "^2", "{", "/", "a\tb\nc"]
)
def test_8_punctuation_is_text_and_never_an_error(world: World, query: str) -> None:
    agent = world.agent(a="read,write")
    answer = agent.call("search_nodes", query=query, scopes=[world.scope("a")])
    assert answer["accounting"]["status"] == "empty_graph"


def test_8_a_name_full_of_syntax_is_found_by_itself(agent: Caller) -> None:
    name = 'Mill "B" (north): 50/50 ~draft*'
    agent.call("create_entities", entities=[{"name": name}, {"name": "Mill"}, {"name": "B"}])
    assert names_found(agent.call("search_nodes", query=name))[0] == name


def test_9_hyphens_and_operator_words_are_plain_words(agent: Caller) -> None:
    agent.call(
        "create_entities",
        entities=[{"name": "T", "observations": ["tier1-test covers unicode", "pre-edit hook"]}],
    )
    for query in ("tier1-test AND unicode", "tier1 test unicode"):
        assert texts_found(agent.call("search_nodes", query=query))[0] == "tier1-test covers unicode"
    for query in ("pre-edit", "pre edit"):
        assert texts_found(agent.call("search_nodes", query=query))[0] == "pre-edit hook"


def test_10_chinese_is_found_without_a_language_flag(agent: Caller) -> None:
    agent.call("create_entities", entities=[{"name": "设备清单", "observations": ["备用设备在三楼"]}])
    for query in ("设备", "三楼"):
        assert texts_found(agent.call("search_nodes", query=query)) == ["备用设备在三楼"]


def test_11_composed_and_decomposed_letters_are_one_identity(agent: Caller) -> None:
    composed = "Café Noir"
    decomposed = unicodedata.normalize("NFD", composed)
    first = agent.call("create_entities", entities=[{"name": composed}])["results"][0]
    second = agent.call("create_entities", entities=[{"name": decomposed}])["results"][0]
    assert (first["outcome"], second["outcome"], second["id"]) == ("created", "existing", first["id"])
    for query in (composed, decomposed):
        assert names_found(agent.call("search_nodes", query=query)) == [composed]


def test_12_case_is_one_identity_and_an_emoji_is_another_until_aliased(agent: Caller) -> None:
    answer = agent.call(
        "create_entities", entities=[{"name": "Aster"}, {"name": "Aster 🔑"}, {"name": "aster"}]
    )
    assert [result["outcome"] for result in answer["results"]] == ["created", "created", "existing"]
    shared = agent.call("add_aliases", items=[{"entity": "Aster", "aliases": ["Aster 🔑", "Star"]}])
    assert shared["results"][0]["aliases"][0] == {"index": 0, "outcome": "added", "shared": True}
    # A name beats an alias: the text still means the entity whose name it is, until that is retired.
    assert agent.call("open_nodes", names=["Aster 🔑"])["entities"][0]["entity"]["name"] == "Aster 🔑"
    agent.call("delete_entities", names=["Aster 🔑"])
    assert agent.call("open_nodes", names=["Aster 🔑"])["entities"][0]["entity"]["name"] == "Aster"
    agent.call("create_entities", entities=[{"name": "Dahlia", "aliases": ["Star"]}])
    assert agent.call("open_nodes", names=["Star"])["ambiguous"] == ["Star"]


def test_13_one_name_in_four_requests_is_one_node(agent: Caller) -> None:
    ids = {agent.call("create_entities", entities=[{"name": "DGQ"}])["results"][0]["id"] for _ in range(4)}
    assert len(ids) == 1


def test_14_names_that_differ_in_a_digit_stay_apart(agent: Caller) -> None:
    names = ["Room 101", "Room 102", "UA123", "UA124"]
    answer = agent.call(
        "create_entities", entities=[{"name": n, "observations": [f"fact of {n}"]} for n in names]
    )
    assert answer["counts"] == {"created": 4}
    for record, name in zip(agent.call("open_nodes", names=names)["entities"], names, strict=True):
        assert [observation["text"] for observation in record["observations"]] == [f"fact of {name}"]


def test_15_an_alias_resolves_and_the_returned_id_can_be_used(agent: Caller) -> None:
    first = agent.call(
        "create_entities", entities=[{"name": "Orchard Ltd", "aliases": ["OL"]}, {"name": "Hill"}]
    )
    orchard = first["results"][0]["id"]
    assert agent.call("open_nodes", names=["OL"])["entities"][0]["entity"]["id"] == orchard
    again = agent.call("create_entities", entities=[{"name": "Orchard Ltd"}])["results"][0]
    assert (again["outcome"], again["id"]) == ("existing", orchard)
    related = agent.call(
        "create_relations", relations=[{"from": {"id": orchard}, "type": "near", "to": "Hill"}]
    )
    assert related["counts"] == {"created": 1}


def test_17_no_scope_means_the_caller_s_own_and_an_unknown_scope_is_empty(world: World) -> None:
    one, two = world.agent(a="read,write"), world.agent(b="read,write")
    one.call("create_entities", entities=[{"name": "Harbor", "observations": ["belongs to one"]}])
    two.call("create_entities", entities=[{"name": "Harbor", "observations": ["belongs to two"]}])
    assert texts_found(one.call("search_nodes", query="Harbor belongs")) == ["belongs to one"]
    opened = one.call("open_nodes", names=["Harbor"])["entities"]
    assert [o["text"] for record in opened for o in record["observations"]] == ["belongs to one"]
    for scopes in (["project:never-made"], [world.scope("b")], []):
        answer = one.call("search_nodes", query="Harbor", scopes=scopes)
        assert (answer["evidence"], answer["accounting"]["candidates"]) == ([], 0)


def test_19_what_another_scope_writes_changes_no_byte(world: World) -> None:
    one, two = world.agent(a="read,write"), world.agent(b="read,write")
    one.call("create_entities", entities=[{"name": "Grove", "observations": ["opened in May"]}])
    payload = {"query": "is Grove opened or closed?", "pointers": True}
    before = one.post("search_nodes", payload).text
    opened_before = one.post("open_nodes", {"names": ["Grove"], "neighbours": True}).text
    two.call(
        "create_entities",
        entities=[{"name": "Grove", "observations": ["closed"] + [f"opened {i}" for i in range(50)]}],
    )
    assert one.post("search_nodes", payload).text == before
    assert one.post("open_nodes", {"names": ["Grove"], "neighbours": True}).text == opened_before


def test_21_retired_and_foreign_hits_do_not_push_a_live_one_out(world: World) -> None:
    one, two = world.agent(a="read,write"), world.agent(b="read,write")
    strong = [f"pump pump station pump number {i}" for i in range(30)]
    two.call("create_entities", entities=[{"name": "Pump", "observations": strong}])
    one.call("create_entities", entities=[{"name": "Old pump", "observations": strong}, {"name": "Shed"}])
    one.call("delete_observations", items=[{"entity": "Old pump", "contents": strong[:15]}])
    one.call("delete_entities", names=["Old pump"])
    one.call("add_observations", items=[{"entity": "Shed", "contents": ["there is a pump behind the shed"]}])
    answer = one.call("search_nodes", query="pump station", budget={"unit": "chars", "limit": 2000})
    assert texts_found(answer) == ["there is a pump behind the shed"]
    assert answer["accounting"]["observations"] == {"matched": 1, "returned": 1}
    assert answer["accounting"]["entities"] == {"considered": 1, "returned": 1}
