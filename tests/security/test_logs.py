"""Secrets and stored text never reach a log, whatever goes wrong.

Goal: spec 09: logs without stored text, tokens or passwords. Method: a service that logs as much as it can, every
operation with secrets in its fields and headers, refused and failing requests among them; then its log, its state
files that others may read, and the log of the database are searched.
"""

import stat
from pathlib import Path

import pytest

from graphsvc.operations import OPERATIONS
from tests.conftest import Database
from tests.harness.canary import Canaries
from tests.harness.service_process import Caller, ServiceProcess
from tests.harness.tally import TALLY
from tests.security.test_injection import replaced, text_places


@pytest.fixture
def talkative(database: Database, tmp_path: Path) -> ServiceProcess:
    """A service at log level DEBUG."""
    return ServiceProcess(
        tmp_path / "home",
        database.bolt_url,
        database.user,
        database.password,
        extra_env={"GRAPHSVC_LOG_LEVEL": "DEBUG"},
    )


def test_nothing_of_a_request_is_in_a_log(talkative: ServiceProcess, database: Database) -> None:
    canaries = Canaries()
    secret = canaries.of("logs")
    talkative.start()
    operator = Caller(talkative.base_url, talkative.token())
    try:
        for name, operation in OPERATIONS.items():
            payload = operation.example
            for place in list(text_places(payload))[:8]:
                payload = replaced(payload, place, f"{secret}")
            for body in (payload, {**payload, secret: secret}, [secret]):
                operator.post(name, body, Idempotency_Key=secret, X_Bookmark=secret)
                operator.post(name, body)
        for token in (f"gsv_{secret}", secret):
            stranger = Caller(talkative.base_url, token)
            assert stranger.post("whoami", {}).status_code == 401
            stranger.close()
        operator.http.get(f"/{secret}")
        operator.http.get(f"/v1/search_nodes?query={secret}")
        operator.http.post(
            "/v1/open_nodes", content=f'{{"names":["{secret}', headers={"Content-Type": "application/json"}
        )
        made = operator.call(
            "create_tokens", tokens=[{"principal": "logged", "kind": "agent", "grants": {"shared": ["read"]}}]
        )
    finally:
        operator.close()
        talkative.stop()
    log = talkative.log()
    TALLY["bytes of logs searched for secrets"] += len(log)
    assert canaries.found(log.encode(), []) == []
    for hidden in (talkative.token(), made["results"][0]["token"], database.password):
        assert hidden not in log


def test_secrets_on_disk_are_their_owners_alone(talkative: ServiceProcess) -> None:
    talkative.start()
    talkative.stop()
    for name in ("operator.token", "secret"):
        mode = stat.S_IMODE((talkative.home / name).stat().st_mode)
        assert mode & 0o077 == 0, f"{name} has mode {mode:o}"
