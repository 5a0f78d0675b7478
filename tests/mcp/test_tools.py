"""The seven tools as an agent meets them: what they offer, what they do, what they say to bad input.

Goal: spec 09, MCP. Method: the official SDK's client over streamable HTTP, in both generations of the protocol, on a
real service and a real Neo4j. What the tools offer is checked against the table of operations, so that an operation
that lands later is covered by the same tests.
"""

from typing import Any

import jsonschema
import orjson
import pytest

from graphsvc.mcp.schema import input_schema
from graphsvc.mcp.server import ADVICE, listed_tools
from graphsvc.mcp.tools import TOOLS, Tool, required_fields
from graphsvc.operations import OPERATIONS
from graphsvc.problems import PROBLEM_TYPE
from tests.conftest import World
from tests.harness.mcp_client import answer, over_http, refusal, text_of
from tests.harness.service_process import Caller

NAMES = ["capture", "search", "fetch", "list", "update", "forget", "relate"]
OFFERED = [(tool, name) for tool in TOOLS.values() for name in tool.operations]
modes = pytest.mark.parametrize("mode", ["legacy", "auto"])


@modes
async def test_there_are_exactly_seven_tools_and_readers_say_so(agent: Caller, mode: str) -> None:
    async with over_http(str(agent.http.base_url), agent.token, mode) as client:
        tools = (await client.list_tools()).tools
    assert [tool.name for tool in tools] == NAMES
    assert [tool.name for tool in tools if tool.annotations and tool.annotations.read_only_hint] == [
        "search",
        "fetch",
        "list",
    ]
    assert [tool.model_dump() for tool in tools] == [tool.model_dump() for tool in listed_tools()]


def test_no_tool_governs_approves_or_administers_and_every_reading_operation_only_reads() -> None:
    for tool, name in OFFERED:
        assert OPERATIONS[name].needs == ("read" if tool.reads else "write"), name
    covered = [name for tool in TOOLS.values() for name in tool.covers]
    assert len(covered) == len(set(covered))
    for forbidden in (
        "approve",
        "promote_candidate",
        "govern_fact",
        "reject_claim",
        "set_policy",
        "merge_entities",
    ):
        assert forbidden not in covered


@pytest.mark.parametrize(("tool", "name"), OFFERED, ids=[name for _, name in OFFERED])
def test_the_example_of_every_operation_fits_its_tools_schema_and_means_it(tool: Tool, name: str) -> None:
    example = OPERATIONS[name].example
    schema = input_schema(tool.name)
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate({**example, "operation": name}, schema)
    assert tool.choose({**example, "operation": name}).name == name
    assert name in tool.description
    if not tool.must_name_operation() and example:
        chosen = tool.choose(example)
        assert tool.reads or chosen.name == name


def test_schemas_are_flat_and_say_nothing_that_only_clutters() -> None:
    for tool in listed_tools():
        schema = tool.input_schema
        assert schema["type"] == "object"
        assert not {"oneOf", "anyOf", "allOf", "$defs"} & schema.keys()
        text = orjson.dumps(schema)
        assert b"$ref" not in text
        assert b'"pattern"' not in text
    assert len(orjson.dumps([tool.model_dump(exclude_none=True) for tool in listed_tools()])) < 60_000


@modes
async def test_every_tool_does_its_work(agent: Caller, mode: str) -> None:
    async with over_http(str(agent.http.base_url), agent.token, mode) as client:
        captured = await answer(
            client,
            "capture",
            entities=[
                {
                    "name": "Acme Print",
                    "kind": "organization",
                    "observations": ["same-day turnaround", "cheap"],
                },
                {"name": "Paul Pack"},
            ],
        )
        assert captured["counts"] == {"created": 2}
        added = await answer(
            client, "capture", items=[{"entity": "Acme Print", "contents": ["Closed on Mondays"]}]
        )
        assert added["results"][0]["observations"][0]["outcome"] == "added"
        related = await answer(
            client, "relate", relations=[{"from": "Acme Print", "type": "supplies", "to": "Paul Pack"}]
        )
        assert related["counts"] == {"created": 1}
        aliased = await answer(
            client, "update", operation="add_aliases", items=[{"entity": "Acme Print", "aliases": ["Acme"]}]
        )
        renamed = await answer(
            client,
            "update",
            operation="update_entities",
            items=[{"entity": "Paul Pack", "kind": "organization"}],
        )
        assert [aliased["counts"], renamed["counts"]] == [{"ok": 1}, {"updated": 1}]
        found = await answer(
            client,
            "search",
            query="who has same-day turnaround?",
            pointers=True,
            bookmark=renamed["bookmark"],
        )
        assert [hit["entity"]["name"] for hit in found["evidence"] if hit["via"] == "match"] == ["Acme Print"]
        forgot = await answer(client, "forget", items=[{"entity": "Acme", "contents": ["cheap"]}])
        assert forgot["retired"] == 1
        opened = await answer(client, "fetch", names=["Acme", "Nobody"], neighbours=True)
        assert [o["text"] for o in opened["entities"][0]["observations"]] == [
            "same-day turnaround",
            "Closed on Mondays",
        ]
        assert opened["entities"][0]["relations"][0]["entity"]["name"] == "Paul Pack"
        assert opened["missing"] == ["Nobody"]
        me = await answer(client, "list", operation="whoami")
        assert me["principal"] == agent.call("whoami")["principal"]


BAD_INPUT: list[tuple[str, dict[str, Any], str]] = [
    ("capture", {}, "$.operation"),
    ("capture", {"entities": [{"name": "X"}], "atomic": "yes"}, "$.atomic"),
    ("capture", {"entities": [{"name": "X"}], "colour": "red"}, "$.operation"),
    ("capture", {"operation": "approve", "claim": "clm_1"}, "$.operation"),
    ("capture", {"entities": [{"name": "X"}], "idempotency_key": "k" * 256}, "$.idempotency_key"),
    ("capture", {"entities": [{"name": "X"}], "idempotency_key": 7}, "$.idempotency_key"),
    ("search", {}, "$.operation"),
    ("search", {"query": ["a", "b"]}, "$.query"),
    ("search", {"query": "x" * 4_097}, "$.query"),
    ("search", {"query": "x", "budget": {"limit": 1}}, "$.budget.limit"),
    ("search", {"query": "x", "bookmark": "not one"}, "$.bookmark"),
    ("fetch", {"names": []}, "$.names"),
    ("fetch", {"names": ["x"], "cursor": "nonsense"}, "$.cursor"),
    ("list", {"operation": "list_tokens"}, "$.operation"),
    ("update", {"items": [{"entity": "X", "name": "Y"}]}, "$.operation"),
    ("update", {"operation": "add_aliases"}, "$.items"),
    ("forget", {"names": "Acme Print"}, "$.names"),
    ("forget", {"names": ["x"], "relations": []}, "$.operation"),
    ("relate", {"relations": [{"from": "a", "to": "b"}], "atomic": True}, "$.relations[0].type"),
]


@modes
async def test_bad_input_says_where_and_why_and_what_to_do_now(agent: Caller, mode: str) -> None:
    async with over_http(str(agent.http.base_url), agent.token, mode) as client:
        for tool, arguments, path in BAD_INPUT:
            problem = await refusal(client, tool, **arguments)
            assert path in [error["path"] for error in problem["errors"]], (tool, arguments, problem)
            assert problem["status"] == 422
            assert problem["advice"] == ADVICE[problem["type"].removeprefix("/errors/")]
            assert problem["request_id"].startswith("req_")
        scope = await refusal(client, "capture", scope="project:not-there", entities=[{"name": "X"}])
        assert (scope["type"], scope["errors"][0]["path"]) == ("/errors/scope_not_found", "$.scope")
        with pytest.raises(Exception, match="no such tool"):
            await client.call_tool("approve", {})


async def test_null_is_the_same_as_leaving_a_field_out(agent: Caller) -> None:
    async with over_http(str(agent.http.base_url), agent.token) as client:
        await answer(client, "capture", operation=None, entities=[{"name": "Elm"}], scope=None, items=None)
        opened = await answer(client, "fetch", names=["Elm"], cursor=None, scopes=None, bookmark=None)
    assert opened["entities"][0]["entity"]["name"] == "Elm"


async def test_a_repeated_idempotency_key_writes_once(agent: Caller) -> None:
    batch = {"entities": [{"name": "Fir", "observations": ["tall"]}], "idempotency_key": "once"}
    async with over_http(str(agent.http.base_url), agent.token) as client:
        first = await answer(client, "capture", **batch)
        assert (await answer(client, "capture", **batch))["results"] == first["results"]
        other = await refusal(client, "capture", entities=[{"name": "Oak"}], idempotency_key="once")
    assert (other["status"], other["type"]) == (409, "/errors/idempotency_mismatch")


@pytest.mark.parametrize("unit", ["chars", "bytes", "tokens"])
async def test_the_budget_holds_for_the_text_as_sent_which_is_the_body_of_http(
    agent: Caller, unit: str
) -> None:
    entities = [
        {
            "name": f"Drucker {n} 印刷",
            "observations": [f"Fact {n}.{m} about printing: schnell & günstig 🖨" for m in range(6)],
        }
        for n in range(12)
    ]
    agent.call("create_entities", entities=entities)
    size = {"chars": len, "bytes": lambda t: len(t.encode()), "tokens": lambda t: -(-len(t.encode()) // 4)}[
        unit
    ]
    async with over_http(str(agent.http.base_url), agent.token) as client:
        for limit in (400, 900, 1_700, 3_001, 7_777, 200_000):
            arguments = {
                "query": "printing schnell",
                "pointers": True,
                "budget": {"unit": unit, "limit": limit},
            }
            text, is_error = await text_of(client, "search", arguments)
            response = agent.post("search_nodes", arguments)
            if is_error:
                assert response.headers["content-type"] == PROBLEM_TYPE
                assert orjson.loads(text)["errors"] == response.json()["errors"]
                continue
            assert text == response.text
            assert size(text) == orjson.loads(text)["accounting"]["budget"]["used"] <= limit


async def test_a_block_comes_as_text(agent: Caller) -> None:
    agent.call("create_entities", entities=[{"name": "Birch", "observations": ["white bark"]}])
    async with over_http(str(agent.http.base_url), agent.token) as client:
        text, is_error = await text_of(client, "search", {"query": "white bark", "render": "block"})
    assert not is_error
    assert text == agent.post("search_nodes", {"query": "white bark", "render": "block"}).text
    assert text.startswith("graphsvc memory")


def minimal(name: str) -> dict[str, Any]:
    """A request that is right in form, whatever it names."""
    return {field: value for field, value in OPERATIONS[name].example.items() if field != "scope"}


async def test_a_token_that_only_reads_cannot_write_through_any_tool(world: World) -> None:
    writer = world.agent(a="read,write")
    writer.call("create_entities", entities=[{"name": "Acme Print", "observations": ["Closed on Mondays"]}])
    before = writer.call("open_nodes", names=["Acme Print", "Paul Pack"])
    reader = world.agent(a="read")
    tried = set()
    async with over_http(world.base_url, reader.token) as client:
        for tool, name in OFFERED:
            if not tool.reads:
                for scope in ({}, {"scope": world.scope("a")}):
                    problem = await refusal(client, tool.name, operation=name, **minimal(name), **scope)
                    assert (problem["status"], problem["type"]) == (403, "/errors/forbidden"), name
                tried.add(tool.name)
        assert (await answer(client, "fetch", names=["Acme Print"]))["missing"] == []
    assert tried == {"capture", "update", "forget", "relate"}
    after = writer.call("open_nodes", names=["Acme Print", "Paul Pack"])
    assert after["entities"] == before["entities"]


async def test_writing_elsewhere_gives_no_right_to_write_here(world: World) -> None:
    mixed = world.agent(b="read,write", a="read")
    a = world.scope("a")
    async with over_http(world.base_url, mixed.token) as client:
        for tool, name in OFFERED:
            if not tool.reads and "scope" in OPERATIONS[name].request.model_fields:
                problem = await refusal(client, tool.name, operation=name, **minimal(name), scope=a)
                assert problem["type"] == "/errors/scope_not_found", name


async def test_a_captured_memory_never_shows_in_the_list_of_tools(agent: Caller) -> None:
    marker = "zanzibar-quokka-7719"
    async with over_http(str(agent.http.base_url), agent.token) as client:
        before = await client.list_tools()
        await answer(
            client,
            "capture",
            entities=[
                {
                    "name": marker,
                    "kind": marker,
                    "aliases": [f"{marker}-alias"],
                    "observations": [f"{marker} here"],
                }
            ],
        )
        await answer(client, "search", query=marker, pointers=True)
    async with over_http(str(agent.http.base_url), agent.token) as client:
        after = await client.list_tools()
        assert marker not in f"{client.instructions} {client.server_info}"
    assert marker not in after.model_dump_json()
    assert [tool.model_dump() for tool in after.tools] == [tool.model_dump() for tool in before.tools]


def test_required_fields_are_named_in_the_description() -> None:
    for tool, name in OFFERED:
        line = next(line for line in tool.description.splitlines() if line.startswith(f"- {name} ("))
        for field in required_fields(OPERATIONS[name]):
            assert field in line
