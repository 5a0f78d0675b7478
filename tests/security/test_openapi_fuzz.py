"""The OpenAPI document is true: whatever fits it is answered as it says, whatever does not is refused.

Goal: no 5xx, no answer outside the document. Method: schemathesis makes requests for every operation from the
document of the running service, with an operator's token and with an agent's.
"""

import os
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import CheckFunction, load_all_checks

from graphsvc.operations import OPERATIONS
from tests.harness.service_process import Caller, ServiceProcess
from tests.harness.tally import TALLY

load_all_checks()
CHECKED = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
)
EXAMPLES = int(os.environ.get("GRAPHSVC_TEST_FUZZ_EXAMPLES", "6"))


def checks() -> list[CheckFunction]:
    """Those that hold for every request. What is refused is told item by item in batches, so a 200 is no acceptance."""
    return [schemathesis.checks.CHECKS.get_one(name) for name in CHECKED]


def fuzz(service: ServiceProcess, agent: Caller, operator: Caller, name: str, examples: int) -> None:
    """Requests for one operation."""
    schema = schemathesis.openapi.from_url(f"{service.base_url}/openapi.json")
    caller = operator if OPERATIONS[name].needs == "admin" and name != "revoke_tokens" else agent
    found = checks()

    @settings(
        max_examples=examples,
        suppress_health_check=list(HealthCheck),
        derandomize=True,
        database=None,
    )
    @given(case=schema[f"/v1/{name}"]["POST"].as_strategy())
    def run(case: Any) -> None:
        TALLY["fuzzed requests"] += 1
        case.call_and_validate(headers={"Authorization": f"Bearer {caller.token}"}, checks=found)

    run()


@pytest.mark.parametrize("name", sorted(OPERATIONS))
def test_answers_are_as_documented(
    name: str, service: ServiceProcess, agent: Caller, operator: Caller
) -> None:
    fuzz(service, agent, operator, name, EXAMPLES)


@pytest.mark.long
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("name", sorted(OPERATIONS))
def test_many_answers_are_as_documented(
    name: str, service: ServiceProcess, agent: Caller, operator: Caller
) -> None:
    fuzz(service, agent, operator, name, 1_000)
