"""How long reads and writes take, against the floor of the same service: one database round trip over HTTP.

Run on a loaded database:

    GRAPHSVC_NEO4J_URI=… GRAPHSVC_NEO4J_PASSWORD_FILE=… python -m bench.latency --queries 300

Times wander on shared machines, so operations take turns in one run and only the ratios to the floor count.
"""

import argparse
import asyncio
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx

SEED = 7
WARM_UP = 60
TARGETS = {"pointers": 3.0, "open 5": 2.75, "neighbours of 10": 2.75, "search": 6.5}


def start(port: int, home: Path) -> subprocess.Popen[bytes]:
    """The service with the floor route, as a process."""
    env = {**os.environ, "GRAPHSVC_HOME": str(home), "GRAPHSVC_LOG_LEVEL": "ERROR"}
    return subprocess.Popen(
        [
            sys.executable,
            "-m",
            "uvicorn",
            "--factory",
            "bench.floor_app:app_with_floor",
            "--port",
            str(port),
            "--no-access-log",
            "--log-level",
            "warning",
            "--loop",
            "uvloop",
            "--http",
            "httptools",
        ],
        env=env,
    )


class Bench:
    """One run against one service."""

    def __init__(self, http: httpx.AsyncClient, names: list[str], words: list[str]) -> None:
        self.http = http
        self.names = names
        self.words = words
        self.chance = random.Random(SEED)
        self.count = 0

    async def post(self, operation: str, **payload: Any) -> dict[str, Any]:
        """One call that must succeed."""
        response = await self.http.post(f"/v1/{operation}", json=payload)
        response.raise_for_status()
        return dict(response.json())

    async def floor(self) -> None:
        """`RETURN 1`."""
        (await self.http.get("/bench/floor")).raise_for_status()

    async def search(self, *, pointers: bool = False) -> None:
        """Three or four words and a name, ten entities' worth of budget."""
        query = " ".join([*self.chance.sample(self.words, 3), self.chance.choice(self.names)])
        await self.post(
            "search_nodes", query=query, pointers=pointers, budget={"unit": "chars", "limit": 8_000}
        )

    async def search_with_pointers(self) -> None:
        """The same with pointers."""
        await self.search(pointers=True)

    async def open_five(self) -> None:
        """Five names."""
        await self.post("open_nodes", names=self.chance.sample(self.names, 5))

    async def neighbours_of_ten(self) -> None:
        """Ten names with one hop."""
        await self.post(
            "open_nodes", names=self.chance.sample(self.names, 10), neighbours=True, budget={"limit": 100_000}
        )

    async def write(self) -> None:
        """One entity with five observations."""
        self.count += 1
        name = f"bench {os.getpid()} {self.count}"
        texts = [" ".join(self.chance.sample(self.words, 6)) + f" {self.count} {i}" for i in range(5)]
        await self.post("create_entities", entities=[{"name": name, "observations": texts}])


async def measure(bench: Bench, queries: int) -> dict[str, list[float]]:
    """Milliseconds of each operation, taking turns."""
    operations = {
        "floor": bench.floor,
        "search": bench.search,
        "search with pointers": bench.search_with_pointers,
        "open 5": bench.open_five,
        "neighbours of 10": bench.neighbours_of_ten,
        "write 1 + 5": bench.write,
    }
    times: dict[str, list[float]] = {name: [] for name in operations}
    for turn in range(WARM_UP + queries):
        for name, run in operations.items():
            started = time.perf_counter()
            await run()
            if turn >= WARM_UP:
                times[name].append((time.perf_counter() - started) * 1e3)
    return times


async def rates(bench: Bench, seconds: float, in_flight: int = 8) -> dict[str, float]:
    """Answers a second at so many in flight."""
    found = {}
    for name, run in (("floor", bench.floor), ("search", bench.search), ("open 5", bench.open_five)):
        done = 0
        until = time.perf_counter() + seconds

        async def worker(run: Any = run, until: float = until) -> None:
            nonlocal done
            while time.perf_counter() < until:
                await run()
                done += 1

        await asyncio.gather(*(worker() for _ in range(in_flight)))
        found[name] = done / seconds
    return found


async def run(arguments: argparse.Namespace) -> None:
    """Start the service, measure, print the table."""
    home = Path(arguments.home or tempfile.mkdtemp())
    process = start(arguments.port, home)
    base = f"http://127.0.0.1:{arguments.port}"
    try:
        async with httpx.AsyncClient(base_url=base, timeout=60) as http:
            for _ in range(600):
                try:
                    if (await http.get("/ready")).status_code == 200:
                        break
                except httpx.HTTPError:
                    pass
                await asyncio.sleep(0.2)
            http.headers["Authorization"] = f"Bearer {(home / 'operator.token').read_text().strip()}"
            sample = [
                json.loads(line) for line in Path(arguments.sample).read_text("utf-8").splitlines()[:20_000]
            ]
            entities = [record for record in sample if record.get("record") == "entity"]
            texts = " ".join(
                str(o["text"] if isinstance(o, dict) else o)
                for e in entities[:500]
                for o in e["observations"]
            )
            words = sorted({word.strip(".,") for word in texts.split() if len(word) > 3})
            bench = Bench(http, [entity["name"] for entity in entities], words)
            times = await measure(bench, arguments.queries)
            floor = statistics.median(times["floor"])
            print("| operation | p50 ms | p95 ms | p50 over floor | must |\n| --- | --- | --- | --- | --- |")
            for name, values in times.items():
                p50, p95 = statistics.median(values), statistics.quantiles(values, n=20)[-1]
                print(f"| {name} | {p50:.2f} | {p95:.2f} | {p50 / floor:.2f} | {TARGETS.get(name, '')} |")
            print()
            for name, per_s in (await rates(bench, arguments.seconds)).items():
                print(f"{name}: {per_s:.0f}/s at 8 in flight")
    finally:
        process.terminate()
        process.wait(timeout=20)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--port", type=int, default=8799)
    parser.add_argument("--home", help="the home whose operator token is used")
    parser.add_argument(
        "--sample", required=True, help="the file that was loaded: names and words come from it"
    )
    asyncio.run(run(parser.parse_args()))
