"""F4, F16: the connection ends, or a step fails, at every step of every write.

Goal: never twice, never in part, and the answer tells the truth: a lost commit is tried again once, with the outcome
it had the first time, or reported as `outcome_unknown`. Method: a proxy that reads Bolt cuts at one protocol step of
one request; the graph is then looked at through an unbroken connection.
"""

import pytest

from graphsvc.operations import OPERATIONS
from tests.faults.conftest import Broken
from tests.faults.history import digest, history_problems
from tests.faults.write_cases import CASES, Answers, Payload, WriteCase, outcome_of, payload_of
from tests.harness.bolt_proxy import STEPS
from tests.harness.service_process import Caller
from tests.harness.tally import TALLY

BY_OPERATION = [pytest.param(case, id=case.operation) for case in CASES]


def test_every_write_has_a_case() -> None:
    writes = {
        name for name, operation in OPERATIONS.items() if operation.needs in {"write", "govern", "approve"}
    }
    unknown = writes - {case.operation for case in CASES}
    assert not unknown, f"add to tests/faults/write_cases.py: {sorted(unknown)}"


def prepared(broken: Broken, case: WriteCase) -> tuple[Caller, str, Payload]:
    """A caller for whom the write is possible, its scope, and what it sends; its token and a connection are warm."""
    caller = broken.caller(case.by)
    answers: Answers = {}
    for operation, asked in case.before:
        answers[operation] = caller.call(operation, **payload_of(asked, caller, answers))
    return caller, caller.call("whoami")["default_scope"], payload_of(case.payload, caller, answers)


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("case", BY_OPERATION)
def test_one_cut_is_survived_and_happens_once(case: WriteCase, step: str, broken: Broken) -> None:
    caller, scope, payload = prepared(broken, case)
    if step == "hello":
        broken.proxy.drop_all()
    if step == "reset":
        broken.proxy.arm("run", "fail")  # a deadlock, after which the driver resets the connection
    fault = broken.proxy.arm(step)  # type: ignore[arg-type]
    response = caller.post(case.operation, payload)
    TALLY["faults injected"] += 1
    assert fault.fired == 1 or step == "reset"
    broken.proxy.disarm()
    assert response.status_code == 200, response.text
    assert outcome_of(response) == case.outcome
    assert case.is_there(caller)
    assert history_problems(broken, scope) == []
    assert outcome_of(caller.post(case.operation, payload)) == case.again
    assert history_problems(broken, scope) == []


@pytest.mark.parametrize("step", ["commit-before", "commit-after"])
@pytest.mark.parametrize("key", [None, "k-1"])
@pytest.mark.parametrize("case", BY_OPERATION[:3])
def test_a_commit_lost_twice_is_reported_as_unknown(
    case: WriteCase, key: str | None, step: str, broken: Broken
) -> None:
    caller, scope, payload = prepared(broken, case)
    # The claim of an idempotency key is a transaction of its own, before the write's.
    fault = broken.proxy.arm(step, times=2, skip=1 if key else 0)  # type: ignore[arg-type]
    response = caller.post(case.operation, payload, **({"Idempotency_Key": key} if key else {}))
    TALLY["faults injected"] += 1
    assert fault.fired == 2
    broken.proxy.disarm()
    assert (response.status_code, response.json()["type"]) == (503, "/errors/outcome_unknown")
    assert int(response.headers["retry-after"]) <= 2
    assert case.is_there(caller) == (step == "commit-after")
    again = caller.post(case.operation, payload, **({"Idempotency_Key": key} if key else {}))
    # With the key, what was kept in the lost transaction itself tells the first outcome.
    first = case.again if step == "commit-after" and not key else case.outcome
    assert outcome_of(again) == first
    assert case.is_there(caller)
    assert history_problems(broken, scope) == []


@pytest.mark.parametrize("case", BY_OPERATION)
def test_failing_at_each_query_in_turn_changes_nothing(case: WriteCase, broken: Broken) -> None:
    caller, scope, payload = prepared(broken, case)
    before = digest(broken, scope)
    step = 0
    while True:
        fault = broken.proxy.arm("run", "fail", skip=step, code="Neo.DatabaseError.General.UnknownError")
        response = caller.post(case.operation, payload)
        broken.proxy.disarm()
        if not fault.fired:
            break
        TALLY["faults injected"] += 1
        assert response.status_code in {500, 503}
        assert response.headers["content-type"] == "application/problem+json"
        assert digest(broken, scope) == before
        step += 1
    assert step >= 1
    assert response.status_code == 200
    assert outcome_of(response) == case.outcome
    assert history_problems(broken, scope) == []


@pytest.mark.parametrize("step", [step for step in STEPS if not step.startswith("commit")])
def test_reads_are_tried_again(step: str, broken: Broken) -> None:
    caller, _, _ = prepared(broken, CASES[1])
    if step == "hello":
        broken.proxy.drop_all()
    if step == "reset":
        broken.proxy.arm("run", "fail")
    broken.proxy.arm(step)  # type: ignore[arg-type]
    for operation, payload in (
        ("open_nodes", {"names": ["Elm"]}),
        ("search_nodes", {"query": "tall", "pointers": True}),
    ):
        assert caller.post(operation, payload).status_code == 200
        TALLY["faults injected"] += 1


def test_the_memory_cap_of_a_transaction_is_told_as_such_and_not_tried_again(broken: Broken) -> None:
    caller, scope, payload = prepared(broken, CASES[2])
    before = digest(broken, scope)
    fault = broken.proxy.arm(
        "run", "fail", times=2, code="Neo.TransientError.General.MemoryPoolOutOfMemoryError"
    )
    response = caller.post("add_observations", payload)
    assert fault.fired == 1
    assert (response.status_code, response.json()["type"]) == (413, "/errors/transaction_too_large")
    assert digest(broken, scope) == before
