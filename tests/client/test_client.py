"""The Python client: its methods, its bookmarks, and what it does when an answer is lost.

Goal: spec 09, client. Method: both clients on a real service; lost answers and refusals by a proxy in front of that
service which cuts or answers the first requests, so that the service's own idempotency is what is tried.
"""

import inspect
import subprocess
import sys
import uuid
from pathlib import Path
from typing import Any

import httpx
import pytest

from graphsvc.client import AsyncClient, Client, RequestRefused, ServiceUnreachable
from graphsvc.client.exchange import Retry
from graphsvc.client.synchronous import Client as SyncClient
from graphsvc.models.common import Budget
from graphsvc.models.reads import SearchAnswer
from graphsvc.models.writes import WriteAnswer
from graphsvc.operations import OPERATIONS
from tests.conftest import World
from tests.harness.service_process import Caller

REPOSITORY_ROOT = Path(__file__).resolve().parents[2]
QUICK = Retry(attempts=3)


def client_of(caller: Caller, **options: Any) -> Client:
    """A sync client with the rights of this caller."""
    return Client(str(caller.http.base_url), caller.token, **options)


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_operation_is_a_method_of_both(name: str) -> None:
    with Client("http://127.0.0.1:1", "t") as client:
        assert callable(getattr(client, name))
    assert callable(getattr(AsyncClient("http://127.0.0.1:1", "t"), name))


def test_what_is_no_operation_is_no_method() -> None:
    with (
        Client("http://127.0.0.1:1", "t") as client,
        pytest.raises(AttributeError, match="no operation 'drop_all'"),
    ):
        client.drop_all()


def test_both_have_the_same_methods() -> None:
    own = {name for name in vars(AsyncClient) if not name.startswith("_")}
    assert own - {"aclose"} == {name for name in vars(SyncClient) if not name.startswith("_")} - {"close"}
    for name in OPERATIONS.keys() & vars(SyncClient).keys():
        assert inspect.getdoc(getattr(Client, name)) == inspect.getdoc(OPERATIONS[name].request), name


def test_answers_are_models_and_a_write_is_seen_at_once(agent: Caller) -> None:
    with client_of(agent) as client:
        for n in range(20):
            marker = f"quokka{n}x{uuid.uuid4().hex[:6]}"
            written = client.create_entities(entities=[{"name": f"Thing {n}", "observations": [marker]}])
            assert isinstance(written, WriteAnswer)
            assert client.bookmark == written.bookmark
            found = client.search_nodes(query=marker, budget=Budget(limit=4_000))
            assert isinstance(found, SearchAnswer)
            assert found.evidence[0]["observations"][0]["text"] == marker


async def test_the_async_client_does_the_same(agent: Caller) -> None:
    async with AsyncClient(str(agent.http.base_url), agent.token) as client:
        await client.create_entities(entities=[{"name": "Elm", "observations": ["tall and old"]}])
        found = await client.search_nodes(query="tall and old")
        assert found.evidence[0]["entity"]["name"] == "Elm"
        block = await client.prompt_block("tall and old")
        assert block == agent.post("search_nodes", {"query": "tall and old", "render": "block"}).text
        with pytest.raises(RequestRefused):
            await client.prompt_block("x", budget={"limit": 1})


def test_a_refusal_carries_the_problem(world: World) -> None:
    with client_of(world.agent(a="read")) as client:
        with pytest.raises(RequestRefused) as refused:
            client.create_entities(entities=[{"name": "X"}])
        assert (refused.value.status, refused.value.type) == (403, "forbidden")
        with pytest.raises(RequestRefused) as refused:
            client.search_nodes(query="x", budget={"limit": 1})
        assert refused.value.errors[0]["path"] == "$.budget.limit"
        assert "budget" in str(refused.value)
    with client_of(world.agent(a="read")) as client:
        client._http.headers["Authorization"] = "Bearer gsv_wrong"
        with pytest.raises(RequestRefused) as refused:
            client.whoami()
        assert refused.value.type == "unauthorized"


class Troubled(httpx.BaseTransport):
    """The way to the service, on which the first answers are lost, or refused before they reach it."""

    def __init__(self, lost: int = 0, refused: list[httpx.Response] | None = None) -> None:
        self.inner = httpx.HTTPTransport()
        self.lost = lost
        self.refused = refused or []
        self.seen: list[httpx.Request] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Pass a request on, and perhaps lose its answer."""
        self.seen.append(request)
        if self.refused:
            return self.refused.pop(0)
        response = self.inner.handle_request(request)
        if self.lost:
            self.lost -= 1
            response.close()
            raise httpx.ReadError("the answer was lost")
        return response

    def close(self) -> None:
        """Close the connections to the service."""
        self.inner.close()


def troubled(client: Client, way: Troubled) -> Troubled:
    """Put trouble on the client's way."""
    client._http._transport.close()
    client._http._transport = way
    return way


def problem(status: int, slug: str, **headers: str) -> httpx.Response:
    """A refusal as the service would send it."""
    return httpx.Response(status, json={"type": f"/errors/{slug}", "status": status}, headers=headers)


def test_a_write_whose_answer_was_lost_is_written_once(agent: Caller) -> None:
    with client_of(agent, retry=QUICK) as client:
        way = troubled(client, Troubled(lost=2))
        answer = client.add_observations(items=[{"entity": "Nobody", "contents": ["x"]}])
        assert answer.counts == {"skipped": 1}
        keys = {request.headers["idempotency-key"] for request in way.seen}
        assert (len(way.seen), len(keys)) == (3, 1)
        way = troubled(client, Troubled(lost=1))
        created = client.create_entities(entities=[{"name": "Once", "observations": ["only once"]}])
        assert [(r.outcome, len(way.seen)) for r in created.results] == [("created", 2)]
    assert len(agent.call("open_nodes", names=["Once"])["entities"][0]["observations"]) == 1


def test_what_may_not_be_repeated_is_not(operator: Caller) -> None:
    with client_of(operator, retry=QUICK) as client:
        for way in (Troubled(lost=1), Troubled(refused=[problem(503, "outcome_unknown")])):
            troubled(client, way)
            with pytest.raises((ServiceUnreachable, RequestRefused)):
                client.create_scopes(scopes=[{"id": "project:not-repeated"}])
            assert len(way.seen) == 1


def test_overload_and_rates_are_waited_for_and_other_refusals_are_not(agent: Caller) -> None:
    with client_of(agent, retry=QUICK) as client:
        again = [problem(429, "rate_limited", **{"Retry-After": "0"}), problem(503, "overloaded")]
        way = troubled(client, Troubled(refused=again))
        client.whoami()
        assert len(way.seen) == 3
        for status, slug in (
            (422, "invalid_request"),
            (404, "scope_not_found"),
            (500, "internal"),
            (409, "conflict"),
        ):
            way = troubled(client, Troubled(refused=[problem(status, slug)]))
            with pytest.raises(RequestRefused):
                client.whoami()
            assert len(way.seen) == 1


def test_a_service_that_is_not_there_is_unreachable() -> None:
    with (
        Client("http://127.0.0.1:9", "t", retry=Retry(attempts=2)) as client,
        pytest.raises(ServiceUnreachable),
    ):
        client.whoami()


def test_the_examples_of_the_guide_run(world: World, tmp_path: Path) -> None:
    caller = world.agent(a="read,write")
    page = (REPOSITORY_ROOT / "docs" / "client.md").read_text(encoding="utf-8")
    blocks = [part.partition("```")[0] for part in page.split("```python\n")[1:]]
    assert len(blocks) == 5
    printed = []
    for number, block in enumerate(blocks):
        script = tmp_path / f"example_{number}.py"
        script.write_text(block, encoding="utf-8")
        run = subprocess.run(
            [sys.executable, str(script)],
            env={
                "PYTHONPATH": str(REPOSITORY_ROOT),
                "PYTHONIOENCODING": "utf-8",
                "GRAPHSVC_SERVICE_URL": world.base_url,
                "GRAPHSVC_TOKEN": caller.token,
            },
            capture_output=True,
            encoding="utf-8",
            timeout=60,
            check=False,
        )
        assert run.returncode == 0, run.stderr
        printed.append(run.stdout.splitlines())
    assert printed[0] == ["Acme Print – Acme Print prints overnight", "ok"]
    assert printed[1] == ["Paul Pack ['Nobody']"]
    assert printed[2][0].startswith("graphsvc memory, framing version 1.")
    assert printed[3] == ["{'created': 1}"]
    assert printed[4] == ["404 scope_not_found $.scope"]
