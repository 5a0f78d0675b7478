"""Who may do what: every operation by every kind of credential on what is its own, foreign and missing.

Goal: a grant that is lacking everywhere is 403, no token 401, and what is foreign is in every byte what it is for a
thing that does not exist. Method: the whole table is made on the real service and compared with
`authorization_table.txt`, which a person can read; an operation, a route or a credential without a row fails. Not
covered: how long an answer takes (measured and printed by the long suite, not gated).

After a deliberate change: GRAPHSVC_TEST_WRITE_TABLES=1 writes the file anew; read its difference.
"""

import asyncio
import json
import os
import re
import statistics
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from graphsvc.auth import NewToken, create_token
from graphsvc.graph import Graph
from graphsvc.http.openapi import error_classes
from graphsvc.ids import new_id
from graphsvc.mcp.tools import TOOLS
from graphsvc.operations import OPERATIONS
from tests.conftest import Database
from tests.harness.canary import Canaries
from tests.harness.service_process import Caller, ServiceProcess
from tests.harness.tally import TALLY
from tests.http.authorization_cases import CASES, PLACES, Place, Target, summary

TABLE = Path(__file__).with_name("authorization_table.txt")
GRANTS: dict[str, tuple[str, dict[str, list[str]]]] = {
    "reader": ("agent", {"own": ["read"]}),
    "writer": ("agent", {"own": ["read", "write"]}),
    "blind-writer": ("agent", {"own": ["write"]}),
    "governor": ("service", {"own": ["read", "write", "govern"]}),
    "project-admin": ("service", {"own": ["read", "write", "govern", "admin"]}),
    "human": ("human", {"own": ["read", "write", "approve"]}),
    "operator": ("service", {"*": ["read", "write", "govern", "admin"]}),
}
CREDENTIALS = ("anonymous", "unknown", "expired", "revoked", *GRANTS)
TOOL_CREDENTIALS = ("anonymous", "reader", "writer")
"""Through tools the same service functions answer, so three credentials show that the door is the same."""
OPEN_ROUTES = ("/live", "/ready", "/metrics", "/docs", "/openapi.json")


@dataclass
class Table:
    """The service with one own and one foreign entity for every cell."""

    base_url: str
    tokens: dict[str, str | None]
    scopes: dict[str, str]
    targets: dict[tuple[str, str, Place], Target]
    canaries: Canaries
    callers: dict[str, httpx.Client] = field(default_factory=dict)

    def client(self, credential: str) -> httpx.Client:
        """A client with this credential."""
        if credential not in self.callers:
            token = self.tokens[credential]
            headers = {"Authorization": f"Bearer {token}"} if token else {}
            self.callers[credential] = httpx.Client(base_url=self.base_url, headers=headers, timeout=60)
        return self.callers[credential]

    def send(self, operation: str, credential: str, place: Place) -> httpx.Response:
        """The request of one cell."""
        payload = CASES[operation](self.targets[operation, credential, place])
        response = self.client(credential).post(f"/v1/{operation}", json=payload)
        TALLY["authorization cells"] += 1
        if credential != "operator":
            self.canaries.check(response, ["own"])
        return response

    def send_tool(self, tool: str, operation: str, credential: str, place: Place) -> httpx.Response:
        """The same request through an MCP tool, aimed at a target of a credential that the table does not use there."""
        spare = {"anonymous": "unknown", "reader": "expired", "writer": "revoked"}[credential]
        payload = CASES[operation](self.targets[operation, spare, place])
        call = {"name": tool, "arguments": {"operation": operation, **payload}}
        response = self.client(credential).post(
            "/mcp",
            json={"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call},
            headers={"Accept": "application/json, text/event-stream"},
        )
        TALLY["authorization cells"] += 1
        self.canaries.check(response, ["own"])
        return response


def make_token(database: Database, new: NewToken) -> str:
    """A token made as the command line makes it, which alone may make a human's."""

    async def make() -> str:
        graph = Graph.connect(database.bolt_url, database.user, database.password)
        try:
            return (await create_token(graph, new, "tests"))[1]
        finally:
            await graph.close()

    return asyncio.run(make())


@pytest.fixture(scope="module")
def table(service: ServiceProcess, operator: Caller, database: Database) -> Iterator[Table]:
    """Scopes, tokens and targets."""
    run = os.urandom(3).hex()
    scopes = {
        "own": f"project:t{run}-own0",
        "foreign": f"project:t{run}-forn",
        "missing": f"project:t{run}-none",
    }
    operator.call("create_scopes", scopes=[{"id": scopes["own"]}, {"id": scopes["foreign"]}])
    canaries = Canaries()
    canaries.of("own")
    tokens: dict[str, str | None] = {"anonymous": None, "unknown": "gsv_" + "0" * 43}
    for name, (kind, grants) in GRANTS.items():
        named = {scopes.get(scope, scope): actions for scope, actions in grants.items()}
        home = None if "*" in grants else scopes["own"]
        new = NewToken(f"t{run}-{name}", kind, named, home or scopes["own"])  # type: ignore[arg-type]
        tokens[name] = make_token(database, new)
    past = "2020-01-01T00:00:00Z"
    dying = {"kind": "agent", "grants": {scopes["own"]: ["read", "write"]}}
    made = operator.call(
        "create_tokens",
        tokens=[
            {"principal": f"t{run}-expired", "expires_at": past, **dying},
            {"principal": f"t{run}-revoked", **dying},
        ],
    )["results"]
    tokens["expired"], tokens["revoked"] = (result["token"] for result in made)
    operator.call("revoke_tokens", token_ids=[made[1]["token_id"]])
    everywhere = {scopes[place]: ["read", "write"] for place in ("own", "foreign")}
    maker = {"principal": f"t{run}-maker", "kind": "service", "grants": everywhere}
    made = operator.call("create_tokens", tokens=[maker])["results"]
    with closing(Caller(service.base_url, made[0]["token"])) as caller:
        targets = make_targets(caller, scopes, canaries)
    made_table = Table(service.base_url, tokens, scopes, targets, canaries)
    yield made_table
    for client in made_table.callers.values():
        client.close()


def make_targets(
    operator: Caller, scopes: dict[str, str], canaries: Canaries
) -> dict[tuple[str, str, Place], Target]:
    """An own and a foreign entity for every cell, each with a fact, another name and a relation; and missing ones."""
    run = os.urandom(3).hex()
    cells = [(operation, credential) for operation in OPERATIONS for credential in CREDENTIALS]
    targets: dict[tuple[str, str, Place], Target] = {}
    for place in PLACES:
        # Of this run alone, as the operator sees the targets of all runs in a database that is used again.
        names = [f"{place:7} {run} {i:04d}".replace(" ", "-") for i in range(len(cells))]
        ids = [new_id("ent") for _ in names]
        tasks, notes = [new_id("task") for _ in names], [new_id("note") for _ in names]
        docs = [new_id("doc") for _ in names]
        if place != "missing":
            token = canaries.of(place)
            rows = [
                {"name": n, "aliases": ["nickname", token], "observations": ["a fact", token]} for n in names
            ]
            for start in range(0, len(rows), 250):
                batch = rows[start : start + 250]
                answer = operator.call(
                    "create_entities", scope=scopes[place], resolve="own_scope", entities=batch
                )
                ids[start : start + 250] = [result["id"] for result in answer["results"]]
            relations = [{"from": {"id": i}, "type": "self", "to": {"id": i}} for i in ids]
            operator.call("create_relations", scope=scopes[place], relations=relations, allow_self=True)
            items = [{"title": f"about {name}", "body": token} for name in names]
            made = operator.call("create_tasks", scope=scopes[place], tasks=items)["results"]
            tasks = [result["id"] for result in made]
            made = operator.call("create_notes", scope=scopes[place], notes=items)["results"]
            notes = [result["id"] for result in made]
            prepare_links(operator, cells, tasks, notes, ids)
            for i, (operation, _) in enumerate(cells):
                if operation == "get_excerpt":
                    stored = operator.call(
                        "put_document", scope=scopes[place], title=names[i], text=f"{token} {names[i]}"
                    )
                    docs[i] = stored["id"]
        for i, cell in enumerate(cells):
            targets[*cell, place] = Target(
                place, scopes[place], names[i], ids[i], new_id("tok"), tasks[i], notes[i], docs[i]
            )
    return targets


def prepare_links(
    operator: Caller, cells: list[tuple[str, str]], tasks: list[str], notes: list[str], ids: list[str]
) -> None:
    """A link for those cells that look at one or take it away, and something retired for those that revive."""
    for i, (operation, _) in enumerate(cells):
        if operation in {"get_task_links", "get_entity_tasks", "unlink_task_entity"}:
            operator.call("link_task_entity", task={"id": tasks[i]}, entity={"id": ids[i]})
        if operation == "revive":
            operator.call("retire", ids=[tasks[i], notes[i]])


def test_every_operation_has_a_case_and_every_route_a_row(service: ServiceProcess) -> None:
    missing = OPERATIONS.keys() - CASES.keys()
    assert not missing, (
        f"add to tests/http/authorization_cases.py, then write the table anew: {sorted(missing)}"
    )
    assert not CASES.keys() - OPERATIONS.keys(), "a case for an operation that is gone"
    document = httpx.get(f"{service.base_url}/openapi.json").json()
    routes = {f"/v1/{name}" for name in OPERATIONS} | {"/live", "/ready", "/metrics"}
    extra = set(document["paths"]) ^ routes
    assert not extra, f"routes that OpenAPI and the table of operations do not share: {sorted(extra)}"


def cell(response: httpx.Response, operation: str) -> str:
    """A cell of the table."""
    try:
        body: Any = response.json()
    except ValueError:
        body = None
    return f"{response.status_code} {summary(operation, body)}"


def tool_cell(response: httpx.Response, operation: str) -> str:
    """A cell of a tool: what its one text came to."""
    body = response.json()
    if "result" not in body:
        return f"{response.status_code} {summary(operation, body)}"
    text = body["result"]["content"][0]["text"]
    try:
        return f"{response.status_code} {summary(operation, json.loads(text))}"
    except ValueError:
        return f"{response.status_code} text"


def folded(rows: dict[str, tuple[str, ...]]) -> list[str]:
    """Rows as text, credentials with the same cells together."""
    together: dict[tuple[str, ...], list[str]] = {}
    for credential, cells in rows.items():
        together.setdefault(cells, []).append(credential)
    found = []
    for cells, credentials in together.items():
        found.append(f"  {', '.join(credentials)}:")
        found += [f"    {place:8} {told}" for place, told in zip(PLACES, cells, strict=False)]
    return found


def test_the_table(table: Table) -> None:
    lines = []
    for operation in OPERATIONS:
        rows = {
            credential: tuple(cell(table.send(operation, credential, place), operation) for place in PLACES)
            for credential in CREDENTIALS
        }
        lines += [operation, *folded(rows)]
    for tool in TOOLS.values():
        for operation in tool.operations:
            rows = {
                credential: tuple(
                    tool_cell(table.send_tool(tool.name, operation, credential, place), operation)
                    for place in PLACES
                )
                for credential in TOOL_CREDENTIALS
            }
            lines += [f"MCP {tool.name} {operation}", *folded(rows)]
    for route in (*OPEN_ROUTES, *(f"/v1/{name}" for name in OPERATIONS)):
        rows = {
            credential: (str(table.client(credential).get(route).status_code),) for credential in CREDENTIALS
        }
        lines += [f"GET {route}", *folded(rows)]
    text = "\n".join(lines) + "\n"
    if os.environ.get("GRAPHSVC_TEST_WRITE_TABLES"):
        TABLE.write_text(text, encoding="utf-8")
    assert text == TABLE.read_text(encoding="utf-8")


@pytest.mark.parametrize("operation", sorted(OPERATIONS))
def test_foreign_is_missing_in_every_byte(operation: str, table: Table) -> None:
    """For everybody who does not see the foreign scope: status, body and headers, but for what is new each time."""
    for credential in CREDENTIALS:
        if credential == "operator":
            continue
        told = [_told(table.send(operation, credential, place), table, operation, credential, place)
                for place in ("foreign", "missing")]  # fmt: skip
        assert told[0] == told[1], credential


def _told(response: httpx.Response, table: Table, operation: str, credential: str, place: Place) -> str:
    new_each_time = {"x-request-id", "server-timing", "date"}
    headers = {name: value for name, value in response.headers.items() if name not in new_each_time}
    text = f"{response.status_code} {sorted(headers.items())} {response.text}"
    for spelling in table.targets[operation, credential, place].spellings():
        text = text.replace(spelling, "=" * len(spelling))
    try:
        body = response.json()
    except ValueError:
        body = {}
    for key in ("request_id", "bookmark"):
        if isinstance(body, dict) and key in body:
            text = text.replace(str(body[key]), "~")
    text = re.sub(r'"at":"[^"]+"(?=\},"accounting")', "", text)  # when the totals of a graph were counted
    return text


@pytest.mark.parametrize("tool", sorted(TOOLS))
def test_foreign_is_missing_through_every_tool(tool: str, table: Table) -> None:
    for operation in TOOLS[tool].operations:
        for credential in ("reader", "writer"):
            spare = {"reader": "expired", "writer": "revoked"}[credential]
            told = []
            for place in ("foreign", "missing"):
                response = table.send_tool(tool, operation, credential, place)  # type: ignore[arg-type]
                text = json.dumps(response.json())
                for spelling in table.targets[operation, spare, place].spellings():  # type: ignore[index]
                    text = text.replace(spelling, "=" * len(spelling))
                # beside these, when the totals of a graph were counted
                told.append(re.sub(r'\\"(request_id|bookmark|at)\\": ?\\"[^"]*\\"', "", text))
            assert told[0] == told[1], (operation, credential)


def test_no_error_has_another_status_than_the_table_of_errors(table: Table) -> None:
    known = {f"/errors/{error.slug}": error.status for error in error_classes()}
    for operation in OPERATIONS:
        response = table.client("writer").post(f"/v1/{operation}", json={"no": "such field"})
        problem = response.json()
        assert response.headers["content-type"] == "application/problem+json"
        assert known[problem["type"]] == problem["status"] == response.status_code


def test_what_was_written_for_others_is_untouched(table: Table, operator: Caller) -> None:
    """After the whole table, no foreign entity has anything but what it was made with."""
    foreign = [
        target for (_, credential, place), target in table.targets.items()
        if place == "foreign" and credential != "operator"
    ]  # fmt: skip
    for start in range(0, len(foreign), 100):
        names = [target.reference for target in foreign[start : start + 100]]
        opened = operator.call("open_nodes", names=names, neighbours=True, budget={"limit": 200_000})[
            "entities"
        ]
        for record in opened:
            assert sorted(o["text"] for o in record["observations"]) == sorted(
                ["a fact", table.canaries.of("foreign")]
            )
            assert sorted(record["entity"]["aliases"]) == sorted(["nickname", table.canaries.of("foreign")])
            assert record["entity"]["kind"] is None


@pytest.mark.long
def test_how_long_foreign_and_missing_take(table: Table) -> None:
    """Measured, not gated: medians of 200 calls each, in turn."""
    for operation in ("open_nodes", "search_nodes", "add_observations", "delete_entities"):
        times: dict[str, list[float]] = {"foreign": [], "missing": []}
        for _ in range(200):
            for place in ("foreign", "missing"):
                started = time.perf_counter()
                table.send(operation, "writer", place)  # type: ignore[arg-type]
                times[place].append(time.perf_counter() - started)
        foreign, missing = (statistics.median(times[place]) * 1e3 for place in ("foreign", "missing"))
        TALLY[f"{operation}: foreign takes, in % of missing"] = round(100 * foreign / missing)
