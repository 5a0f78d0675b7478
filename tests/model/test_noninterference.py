"""What is foreign changes nothing: the same requests give the same bytes with and without thousands of decoys.

Goal: order, scores, counts, accounting, `pool_capped`, cursors and statuses of the answers depend on what one may see
alone. Method: a principal's own graph is made and everything is read; then decoys with the same names and words are
loaded into scopes it cannot see, and laid across the border in both directions; then everything is read again and
every body must be the same, byte for byte. A second time with whole histories: before and after the decoys, in fresh
scopes, compared after masking ids and times.
"""

import base64
import itertools
import random
import re
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from graphsvc.operations import OPERATIONS
from tests.harness.service_process import Caller, ServiceProcess
from tests.harness.tally import TALLY
from tests.model.decoys import Decoys
from tests.model.history import History
from tests.model.reference_model import Who
from tests.model.scopes_world import ScopesWorld

NAMES = ["Harbor", "Mill B", "Quay", "Café Noir", "設備清单", "Paul Pack", "Wharf 9", "Ostler"]
WORDS = ["zorvex", "quillan", "brimtal", "printing", "oskwend", "harbor", "supplies"]
TYPES = ["supplies", "part-of", "brimtal of"]
TIE_FACTS = 1_700
"""More facts with one and the same score than any pool holds, so that the cut goes through a tie."""


class Own:
    """The graph of the principal under test, in a scope it alone sees."""

    def __init__(self, world: ScopesWorld) -> None:
        self.world = world
        self.caller = world.callers["only-a"]
        self.scope = world.scope("a")
        facts = [
            {"name": name, "kind": "place", "aliases": [f"{name} alias {i}"], "observations": self.texts(i)}
            for i, name in enumerate(NAMES)
        ]
        answer = self.caller.call("create_entities", entities=facts)
        self.ids = [result["id"] for result in answer["results"]]
        relations = [
            {"from": a, "type": TYPES[i % len(TYPES)], "to": b}
            for i, (a, b) in enumerate(itertools.pairwise(NAMES))
        ]
        self.caller.call("create_relations", relations=relations)
        session = {"session_id": "own-session"}
        said = [{"entity": name, "contents": [f"zorvex said of {name} in session"]} for name in NAMES]
        self.caller.call("add_observations", items=said, provenance=session)
        body = "Ask Harbor about zorvex printing and the Mill B"
        made = self.caller.call("create_tasks", tasks=[{"title": "Order for Paul Pack", "body": body}])
        self.task = made["results"][0]["id"]
        self.caller.call("link_task_entity", task=self.task, entity="Harbor")
        self.caller.call("link_task_entity", task=self.task, entity="Quay")
        self.caller.call("unlink_task_entity", task=self.task, entity="Quay")
        self.claims, self.fact = self.govern()
        self.caller.call("create_entities", entities=[{"name": "Gone", "observations": ["zorvex gone"]}])
        self.caller.call("delete_entities", names=["Gone"])
        page = "# Harbor\n\nzorvex printing at the Mill B.\n"
        self.document = self.caller.call("put_document", title="Harbor", text=page)["id"]
        many = [f"tidewater {i:05d}" for i in range(TIE_FACTS)]
        for start in range(0, TIE_FACTS, 850):
            self.caller.call(
                "add_observations", items=[{"entity": "Quay", "contents": many[start : start + 850]}]
            )
        many = [f"{'dense ' * (1 + i % 3)}printing note {i}" for i in range(450)]
        self.caller.call("add_observations", items=[{"entity": "Mill B", "contents": many}])

    def govern(self) -> tuple[list[str], str]:
        """Claims, one of them a fact, all about what decoys are named like."""
        self.world.operator.call("set_policy", scope=self.scope, multi_evidence=True)
        refs = []
        for i in range(3):
            said = [{"entity": "Harbor", "contents": [f"quillan tide {i}"]}]
            made = self.caller.call("add_observations", items=said, provenance={"session_id": f"tide {i}"})
            refs.append(made["results"][0]["observations"][0]["id"])
        evidence = [{"kind": "observation", "ref": ref} for ref in refs]
        about = {"subject": "Harbor", "predicate": "has", "confidence": 0.9, "evidence": evidence}
        claims = [
            {**about, "object": "zorvex tides"},
            {**about, "object": "Quay"},
            {"subject": "Quay", "predicate": "is", "object": "old"},
        ]
        ids = [result["id"] for result in self.caller.call("propose_claims", claims=claims)["results"]]
        ask = {"claim": ids[0], "mode": "multi_evidence", "scope": self.scope}
        promoted = self.world.operator.call("promote_candidate", **ask)
        self.evidence = refs
        return ids, promoted["fact"]

    @staticmethod
    def texts(i: int) -> list[str]:
        """A few facts of the i-th entity."""
        return [f"{word} note of {NAMES[i]} number {i}" for word in WORDS[: 1 + i % len(WORDS)]]


def readings(own: Own) -> dict[str, list[dict[str, Any]]]:
    """Every reading operation with payloads that show as much of it as they can."""
    budgets = [{"unit": "chars", "limit": limit} for limit in (1_500, 4_000, 200_000)]
    queries = [
        "zorvex", "printing note", "tidewater", "Harbor", "brimtal of the harbor supplies", "no such word",
        "Café Noir 設備清单", "Gone",
    ]  # fmt: skip
    searches = [
        {"query": query, "budget": budget, "pointers": pointers}
        for query in queries
        for budget in budgets
        for pointers in (False, True)
    ]
    missing = {"id": "ent_" + "0" * 32}
    return {
        "search_nodes": [
            *searches,
            {"query": "zorvex", "render": "block", "pointers": True},
            {"query": "zorvex", "project_hint": own.scope, "scopes": [own.scope, "project:none"]},
            {"query": "printing", "filters": {"kinds": ["place"], "since": "2020-01-01T00:00:00Z"}},
        ],
        "search_by_project": [
            {"query": query, "project": project, "include_shared": shared, "pointers": True}
            for query in queries
            for project in (own.scope, "none")
            for shared in (False, True)
        ],
        "open_nodes": [
            {
                "names": [*NAMES, "Gone", "Nobody", missing, "Harbor alias 0"],
                "neighbours": neighbours,
                "budget": budget,
            }
            for neighbours in (False, True)
            for budget in budgets
        ],
        "read_graph": [
            {"limit": 500, "budget": {"limit": 200_000}},
            {"scopes": [own.scope, "project:none"], "limit": 500, "budget": {"limit": 200_000}},
        ],
        "find_by_title": [
            {"phrase": phrase, "kinds": kinds}
            for phrase in ("harbr", "Mill", "quay zorvex", "Gone", "zzz")
            for kinds in (["entity"], ["entity", "task", "note"])
        ],
        "get_history": [{"entity": name, "limit": 500} for name in ("Harbor", "Gone")],
        "list_changes": [{"limit": 200}, {"limit": 500, "budget": {"limit": 200_000}}],
        "get_task_links": [
            {"task": own.task},
            {"task": own.task, "include_removed": True},
            {"task": "task_none"},
        ],
        "get_entity_tasks": [
            {"entity": name, "include_removed": True} for name in ("Harbor", "Quay", "Gone")
        ],
        "suggest_task_links": [{"task": own.task, "limit": 20}],
        "export_link_labels": [{}],
        "get_provenance": [
            {"id": thing} for thing in (own.fact, *own.claims, *own.ids[:2], own.task, "obs_none")
        ],
        "list_claims": [
            {"status": status, "limit": 500} for status in ("candidate", "promoted", "rejected", "superseded")
        ]
        + [{"subject": name} for name in ("Harbor", "Quay", "Gone")],
        "list_facts": [
            {},
            {"limit": 1},
            {"status": "superseded"},
            {"subject": "Harbor"},
            {"subject": "Gone"},
        ],
        "audit_memory": [{}],
        "get_excerpt": [
            {
                "source_ref": {
                    "schema": "source_ref/v1",
                    "resolver": "graph_doc",
                    "ref": {"doc_id": doc_id},
                    "locator": {"heading": "Harbor"},
                },
                "level": level,
            }
            for doc_id in (own.document, "doc_none")
            for level in ("L0", "L2")
        ],
        "whoami": [{}],
        "list_scopes": [{}],
    }


NO_READINGS: dict[str, str] = {}
"""Reading operations that are left out, and why."""


def read_all(own: Own) -> dict[str, bytes]:
    """Every body and the headers that tell anything, by request."""
    found = {}
    for operation, payloads in readings(own).items():
        for payload in payloads:
            response = own.caller.post(operation, payload)
            TALLY["non-interference readings"] += 1
            own.world.canaries.check(response, [own.scope])
            found[f"{operation} {payload}"] = told(response)
    return found


_TIME = re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?(\.\d+)?Z")
_COUNTED_AT = re.compile(rb'"at":"[^"]+"(?=\},"accounting")')
_CURSOR = re.compile(rb'(?<="next_cursor":")([^"]+)')
"""Read open, as the cursor of a walk holds the instant at which it counted."""
_REQUEST_ID = re.compile(rb'"request_id":"[^"]+"')


def told(response: httpx.Response) -> bytes:
    """What a response tells: status, body, and all headers but the ones that are new each time."""
    new_each_time = {b"x-request-id", b"server-timing", b"date"}
    headers = [
        (name.lower(), value) for name, value in response.headers.raw if name.lower() not in new_each_time
    ]
    body = _REQUEST_ID.sub(b"", _COUNTED_AT.sub(b"", response.content))
    body = _CURSOR.sub(
        lambda found: _TIME.sub(b"TIME", base64.b64decode(found.group(1) + b"==", b"-_")), body
    )
    return b"\n".join([str(response.status_code).encode(), body, repr(sorted(headers)).encode()])


def first_difference(before: bytes, after: bytes) -> str:
    """Where two answers part, with what stands around it."""
    place = next((i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), 0)
    around = slice(max(0, place - 120), place + 120)
    return f"at byte {place} of {len(before)} and {len(after)}:\n {before[around]!r}\n {after[around]!r}"


def test_every_reading_operation_is_read() -> None:
    reading = {name for name, operation in OPERATIONS.items() if operation.needs == "read"}
    none = SimpleNamespace(task="", scope="", fact="", claims=[], ids=[], document="")
    covered = readings(none).keys() | NO_READINGS.keys()  # type: ignore[arg-type]
    assert not reading - covered, f"add these to readings(): {sorted(reading - covered)}"


_ID = re.compile(rb"\b(ent|obs|rel|als|trn|clm|fact|dec)_[0-9a-f]{32}")
_USED = re.compile(rb'"used":(\d+)')


def masked(response: httpx.Response, world: ScopesWorld, seen: dict[bytes, bytes]) -> bytes:
    """The body with ids by order of appearance, times and scope names masked; `used` without the times' lengths."""
    body = response.content.replace(f"-{world.number:06d}-".encode(), b"-WORLD-")
    for name in world.canaries.tokens.values():
        body = body.replace(name.encode(), name[-3:].encode() * 6)
    lengths = sum(len(match.group()) for match in _TIME.finditer(body))
    body = _TIME.sub(b"TIME", body)
    pointed = response.json().get("pointers") if response.status_code == 200 else None
    in_pointers = sum(len(item["last_seen_at"]) for item in pointed["items"]) if pointed else 0
    parts = iter([lengths, in_pointers])  # the answer's own, then that of the pointer block
    body = _USED.sub(lambda match: b'"used":%d' % (int(match.group(1)) - next(parts)), body, count=2)
    body = _ID.sub(lambda match: seen.setdefault(match.group(), b"%s_%d" % (match.group(1), len(seen))), body)
    return re.sub(rb'"(request_id|bookmark)":"[^"]*"', rb'"\1":"-"', body)


def replay(world: ScopesWorld, seed: int, steps: int) -> list[bytes]:
    """One seeded history of several principals; what each answer told."""
    history, told_by_step, seen = Recording(world), [], {}  # type: ignore[var-annotated]
    draw = random.Random(seed)
    for _ in range(steps):
        by = draw.choice(["only-a", "only-b", "both", "reads-a"])
        who = world.who(by)
        scope = draw.choice(sorted(who.write))
        name, other, word = draw.choice(NAMES[:4]), draw.choice(NAMES[:4]), draw.choice(WORDS[:3])
        match draw.randrange(9):
            case 0 | 1:
                history.create(
                    who, scope, name, draw.choice([None, "place"]), [word], [draw.choice(["Dock", "Pier"])]
                )
            case 2:
                history.observe(who, scope, other, word)
            case 3:
                history.relate(who, scope, name, draw.choice(TYPES), other)
            case 4:
                history.alias(who, scope, name, draw.choice(["Dock", "Pier"]))
            case 5:
                history.forget(who, scope, "delete_entities", name, other, word)
            case 6:
                history.open(who, [name, other, "Dock"], neighbours=True)
            case 7:
                history.search(who, word, project=None)
            case 8:
                history.point(who, "Quay")
        told_by_step += [masked(response, world, seen) for response in history.taken()]
    return told_by_step


class Recording(History):
    """A history that keeps the responses."""

    def __init__(self, world: ScopesWorld) -> None:
        super().__init__(world)
        self.responses: list[httpx.Response] = []

    def send(self, who: Who, operation: str, **payload: Any) -> httpx.Response:
        """As in History, and kept."""
        response = super().send(who, operation, **payload)
        self.responses.append(response)
        return response

    def taken(self) -> list[httpx.Response]:
        """Those since the last time."""
        taken, self.responses = self.responses, []
        return taken


class BeforeAndAfter:
    """What was told before the decoys were there, and the means to ask again."""

    def __init__(self, operator: Caller, base_url: str, *, histories: int, decoys_per_scope: int) -> None:
        self.worlds: list[ScopesWorld] = []
        self.operator, self.base_url = operator, base_url
        self.own = Own(self.world())
        read_all(self.own)  # plans are made and caches are warm: the readings that count see the same ones
        self.before = read_all(self.own)
        self.histories_before = [replay(self.world(), seed, 40) for seed in range(histories)]
        world = self.own.world
        foreign = [f"{world.scope('a')}-decoy-{i}" for i in range(6)]
        self.decoys = Decoys(operator, foreign, world.canary("foreign"))
        self.decoys.load(NAMES, WORDS, TYPES, decoys_per_scope)
        self.decoys.cross(self.own.scope, self.own.ids, NAMES, WORDS, TYPES)
        self.decoys.cross_tasks(self.own.task, self.own.ids)
        self.decoys.cross_claims(self.own.scope, self.own.ids, self.own.evidence)

    def world(self) -> ScopesWorld:
        """Fresh scopes and principals."""
        self.worlds.append(ScopesWorld(self.operator, self.base_url).make())
        return self.worlds[-1]


@pytest.fixture(scope="module")
def told_before(operator: Caller, service: ServiceProcess) -> Iterator[BeforeAndAfter]:
    """Everything read, then the decoys loaded."""
    made = BeforeAndAfter(operator, service.base_url, histories=4, decoys_per_scope=500)
    yield made
    for world in made.worlds:
        world.close()


@pytest.mark.long
def test_every_reading_is_the_same_byte_for_byte(told_before: BeforeAndAfter) -> None:
    after = read_all(told_before.own)
    different = [request for request, body in told_before.before.items() if body != after[request]]
    for request in different:
        print(request, first_difference(told_before.before[request], after[request]))
    assert not different, f"{len(different)} of {len(after)} readings changed"


@pytest.mark.long
def test_whole_histories_are_told_the_same(told_before: BeforeAndAfter) -> None:
    for seed, before in enumerate(told_before.histories_before):
        after = replay(told_before.world(), seed, 40)
        for step, (told_then, told_now) in enumerate(zip(before, after, strict=True)):
            assert told_now == told_then, (
                f"history {seed}, answer {step}: {first_difference(told_then, told_now)}"
            )


@pytest.mark.long
@pytest.mark.timeout(7200)
def test_many_histories_are_told_the_same(operator: Caller, service: ServiceProcess) -> None:
    made = BeforeAndAfter(operator, service.base_url, histories=100, decoys_per_scope=2_000)
    after = read_all(made.own)
    assert {request for request, body in made.before.items() if body != after[request]} == set()
    for seed, before in enumerate(made.histories_before):
        assert replay(made.world(), seed, 40) == before, f"history {seed} is told otherwise"
