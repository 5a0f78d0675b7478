"""Load as agents make it: an open loop of mixed calls at a fixed rate, a hub, and overload (spec 11 §3.6).

    python bench/load.py --rate 50 --seconds 600            a service and a Neo4j of its own
    python bench/load.py --base-url URL --token-file FILE   a service that runs already

Open loop: calls start when their time has come, whether or not the ones before have ended, so that a slow service
is not spared the load that it caused. The answer is a JSON object with counts, latencies by operation, and the
service's memory.
"""

import argparse
import asyncio
import json
import random
import statistics
import tempfile
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import psutil

from graphsvc.neo4j_local import LocalNeo4j
from graphsvc.settings import Settings
from tests.harness.service_process import ServiceProcess

WORDS = (
    "tidal quay mole harbor lantern rope barrel ledger crane winch keel buoy anchor sail mast hull".split()  # noqa: SIM905
)
MIX = (("open", 45), ("search", 30), ("page", 10), ("write", 15))
HUB_DEGREE = 10_000


@dataclass
class Figures:
    """What a phase has shown."""

    latencies_s: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    statuses: Counter[str] = field(default_factory=Counter)

    def report(self) -> dict[str, Any]:
        """Counts and quantiles in milliseconds."""
        every = [one for found in self.latencies_s.values() for one in found]
        return {
            "calls": len(every),
            "statuses": dict(self.statuses),
            "all": quantiles_ms(every),
            **{name: quantiles_ms(found) for name, found in sorted(self.latencies_s.items())},
        }


def quantiles_ms(values: list[float]) -> dict[str, float]:
    """p50, p95, p99 and the largest."""
    if len(values) < 2:
        return {}
    cuts = statistics.quantiles(values, n=100, method="inclusive")
    return {"p50": _ms(cuts[49]), "p95": _ms(cuts[94]), "p99": _ms(cuts[98]), "max": _ms(max(values))}


def _ms(seconds: float) -> float:
    return round(seconds * 1e3, 1)


@dataclass
class Load:
    """The workload against one service."""

    http: httpx.AsyncClient
    entities: int
    seed: int
    scopes: list[str] = field(default_factory=list)
    written: int = 0

    def __post_init__(self) -> None:
        self.draw = random.Random(self.seed)

    async def call(self, operation: str, payload: dict[str, Any]) -> httpx.Response:
        """One call."""
        return await self.http.post(f"/v1/{operation}", json=payload)

    async def prepare(self) -> None:
        """Data: a scope with 40 % of everything, others with the rest, relations, and a hub."""
        self.scopes = [f"project:load-{i}" for i in range(20)]
        await self.call("create_scopes", {"scopes": [{"id": scope} for scope in self.scopes]})
        for start in range(0, self.entities, 200):
            scope = self.scopes[0] if self.draw.random() < 0.4 else self.draw.choice(self.scopes[1:])
            names = [f"Thing {start + i}" for i in range(200)]
            rows = [{"name": name, "observations": [self.text() for _ in range(5)]} for name in names]
            await self._must("create_entities", {"scope": scope, "resolve": "own_scope", "entities": rows})
            pairs = [
                {"from": self.draw.choice(names), "type": "near", "to": name}
                for name in names
                for _ in range(3)
            ]
            await self._must("create_relations", {"scope": scope, "relations": pairs, "allow_self": True})
        await self._must("create_entities", {"scope": self.scopes[0], "entities": [{"name": "Hub"}]})
        for start in range(0, HUB_DEGREE, 500):
            rim = [f"Rim {start + i}" for i in range(500)]
            rows = [{"name": name, "observations": ["on the rim"]} for name in rim]
            await self._must("create_entities", {"scope": self.scopes[0], "entities": rows})
            spokes = [{"from": "Hub", "type": "spoke", "to": name} for name in rim]
            await self._must("create_relations", {"scope": self.scopes[0], "relations": spokes})

    async def _must(self, operation: str, payload: dict[str, Any]) -> None:
        response = await self.call(operation, payload)
        response.raise_for_status()

    def text(self) -> str:
        """A fact of a few words."""
        return " ".join(self.draw.choices(WORDS, k=8)) + f" {self.draw.randrange(10_000)}"

    def next_call(self) -> tuple[str, str, dict[str, Any]]:
        """What the next agent does: a name for the figures, an operation, a payload."""
        kind = self.draw.choices([name for name, _ in MIX], [share for _, share in MIX])[0]
        scope = self.scopes[0] if self.draw.random() < 0.4 else self.draw.choice(self.scopes[1:])
        thing = f"Thing {self.draw.randrange(self.entities)}"
        if kind == "open":
            return kind, "open_nodes", {"names": [thing], "neighbours": True, "scopes": [scope]}
        if kind == "search":
            query = " ".join(self.draw.choices(WORDS, k=3)) + f" {thing}"
            return kind, "search_nodes", {"query": query, "pointers": True, "scopes": [scope]}
        if kind == "page":
            names = [f"Thing {self.draw.randrange(self.entities)}" for _ in range(50)]
            return kind, "open_nodes", {"names": names, "scopes": [scope]}
        self.written += 1
        rows = [{"name": f"New {self.written}-{i}", "observations": [self.text()]} for i in range(5)]
        return kind, "create_entities", {"scope": scope, "entities": rows}

    async def run(self, rate_per_s: float, seconds: float) -> Figures:
        """The open loop."""
        figures, tasks = Figures(), set()
        started = time.perf_counter()
        for number in range(int(rate_per_s * seconds)):
            await asyncio.sleep(max(0.0, started + number / rate_per_s - time.perf_counter()))
            task = asyncio.create_task(self._one(figures, *self.next_call()))
            tasks.add(task)
            task.add_done_callback(tasks.discard)
        await asyncio.gather(*tasks)
        return figures

    async def _one(self, figures: Figures, name: str, operation: str, payload: dict[str, Any]) -> None:
        started = time.perf_counter()
        try:
            response = await self.call(operation, payload)
            figures.statuses[str(response.status_code)] += 1
            if response.status_code != 200:
                return
        except httpx.HTTPError as error:
            figures.statuses[type(error).__name__] += 1
            return
        figures.latencies_s[name].append(time.perf_counter() - started)

    async def hub(self) -> dict[str, Any]:
        """Opening and finding the hub, and whether its answer is the same each time."""
        figures, bodies = Figures(), set()
        for _ in range(50):
            for name, operation, payload in (
                (
                    "open hub",
                    "open_nodes",
                    {"names": ["Hub"], "neighbours": True, "scopes": [self.scopes[0]]},
                ),
                (
                    "search hub",
                    "search_nodes",
                    {"query": "Hub", "pointers": True, "scopes": [self.scopes[0]]},
                ),
            ):
                started = time.perf_counter()
                response = await self.call(operation, payload)
                figures.latencies_s[name].append(time.perf_counter() - started)
                bodies.add((name, response.text))
        return {**figures.report(), "different_answers": len(bodies)}


async def measure(
    base_url: str, token: str, arguments: argparse.Namespace, pid: int | None
) -> dict[str, Any]:
    """All phases, and what they came to."""
    limits = httpx.Limits(max_connections=400)
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx.AsyncClient(base_url=base_url, headers=headers, timeout=60, limits=limits) as http:
        load = Load(http, arguments.entities, arguments.seed)
        await load.prepare()
        await load.run(arguments.rate, arguments.warm_up_s)
        rss = [psutil.Process(pid).memory_info().rss] if pid else []
        held = await load.run(arguments.rate, arguments.seconds)
        rss += [psutil.Process(pid).memory_info().rss] if pid else []
        hub = await load.hub()
        over = await load.run(arguments.rate * 4, arguments.overload_s)
        after = await load.run(arguments.rate, 10)
    return {
        "rate_per_s": arguments.rate,
        "held": held.report(),
        "hub": hub,
        "overload_4x": over.report(),
        "after_overload": after.report(),
        "service_rss_mb": [round(one / 2**20) for one in rss],
    }


def main() -> None:
    """Parse, measure, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--base-url")
    parser.add_argument("--token-file", type=Path)
    parser.add_argument("--entities", type=int, default=50_000)
    parser.add_argument("--rate", type=float, default=50)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--warm-up-s", type=float, default=60)
    parser.add_argument("--overload-s", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    if arguments.base_url:
        token = arguments.token_file.read_text().strip()
        found = asyncio.run(measure(arguments.base_url, token, arguments, None))
    else:
        with tempfile.TemporaryDirectory() as folder:
            settings = Settings(home=Path(folder) / "neo4j")
            neo4j = LocalNeo4j(settings.home, settings.cache)
            running = neo4j.start()
            password = running.password_file.read_text().strip()
            service = ServiceProcess(
                Path(folder) / "service", running.bolt_url, running.user, password
            ).start()
            try:
                pid = service.process.pid if service.process else None
                found = asyncio.run(measure(service.base_url, service.token(), arguments, pid))
            finally:
                service.stop()
                neo4j.stop()
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
