"""A real service process for tests: started on a free port, awaited, stopped or killed."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

READY_DEADLINE_S = 60.0


@dataclass
class ServiceProcess:
    """`graphsvc serve` with its own home, on the Neo4j at `bolt_url`."""

    home: Path
    bolt_url: str
    user: str
    password: str
    extra_env: dict[str, str] = field(default_factory=dict)
    process: subprocess.Popen[bytes] | None = None
    base_url: str = ""

    def start(self, *, wait: bool = True) -> "ServiceProcess":
        """Start it, and by default return when it is ready. Shows the end of its log when it never is."""
        self.home.mkdir(parents=True, exist_ok=True)
        env = {key: value for key, value in os.environ.items() if not key.startswith("GRAPHSVC_")}
        env |= {
            "GRAPHSVC_HOME": str(self.home),
            "GRAPHSVC_NEO4J_URI": self.bolt_url,
            "GRAPHSVC_NEO4J_USER": self.user,
            "GRAPHSVC_NEO4J_PASSWORD": self.password,
            "GRAPHSVC_HTTP_PORT": "0",
            "PYTHONWARNINGS": "default",
            **self.extra_env,
        }
        # A mutated copy of the package, where tests/model/test_mutants.py names one.
        tree = os.environ.get("GRAPHSVC_TEST_TREE")
        env |= {"PYTHONPATH": tree} if tree else {}
        command = [sys.executable, "-m", "graphsvc", "serve"]
        with self.log_file.open("ab") as log:
            self.process = subprocess.Popen(command, env=env, stdout=log, stderr=log, cwd=tree)
        deadline = time.monotonic() + READY_DEADLINE_S
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                state = json.loads((self.home / "service.json").read_text())
                self.base_url = state["base_url"]
                if state["pid"] == self.process.pid and (not wait or self.is_ready()):
                    return self
            except (FileNotFoundError, json.JSONDecodeError, httpx.HTTPError):
                pass
            time.sleep(0.05)
        raise AssertionError(f"the service did not become ready:\n{self.log()[-3000:]}")

    @property
    def log_file(self) -> Path:
        """What it wrote to standard output and error."""
        return self.home / "service.log"

    def log(self) -> str:
        """The log so far."""
        return self.log_file.read_text(errors="replace") if self.log_file.exists() else ""

    def is_ready(self) -> bool:
        """Whether `/ready` says 200."""
        return httpx.get(f"{self.base_url}/ready", timeout=5).status_code == 200

    def token(self) -> str:
        """The operator's token of this home."""
        return (self.home / "operator.token").read_text().strip()

    def stop(self, how: signal.Signals = signal.SIGTERM) -> int:
        """End it and return its exit code."""
        assert self.process is not None
        if self.process.poll() is None:
            self.process.send_signal(how)
        return self.process.wait(timeout=20)


class Caller:
    """A principal that calls the service over HTTP."""

    def __init__(self, base_url: str, token: str) -> None:
        self.http = httpx.Client(base_url=base_url, headers={"Authorization": f"Bearer {token}"}, timeout=60)
        self.token = token

    def post(self, operation: str, payload: Any, **headers: str) -> httpx.Response:
        """The raw response of an operation. Header names are written with `_` for `-`."""
        return self.http.post(
            f"/v1/{operation}",
            json=payload,
            headers={key.replace("_", "-"): value for key, value in headers.items()},
        )

    def call(self, operation: str, **payload: Any) -> Any:
        """The answer of an operation that must succeed."""
        response = self.post(operation, payload)
        assert response.status_code == 200, f"{operation}: {response.status_code} {response.text[:2000]}"
        return response.json()

    def close(self) -> None:
        """Close its connections."""
        self.http.close()
