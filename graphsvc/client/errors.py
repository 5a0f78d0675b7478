"""What can go wrong on the client's side.

ClientError
├── RequestRefused       the service answered with a problem document (RFC 9457)
└── ServiceUnreachable   it did not answer, or nothing says where it is
"""

from typing import Any

import httpx


class ClientError(Exception):
    """A call could not be carried out."""


class ServiceUnreachable(ClientError):
    """The service did not answer, however often it was asked; or nothing says where it is."""


class RequestRefused(ClientError):
    """The service said no. `type` is the stable end of the problem's type, such as `scope_not_found`."""

    def __init__(self, status: int, problem: dict[str, Any]) -> None:
        self.status = status
        self.problem = problem
        self.type = str(problem.get("type", "")).rpartition("/")[2]
        self.detail = str(problem.get("detail", ""))
        self.errors: list[dict[str, str]] = problem.get("errors", [])
        self.request_id = str(problem.get("request_id", ""))
        places = "; ".join(f"{error['path']}: {error['reason']}" for error in self.errors)
        super().__init__(f"{status} {self.type}: {self.detail}" + (f" ({places})" if places else ""))

    @classmethod
    def of(cls, response: httpx.Response) -> "RequestRefused":
        """The error that a response stands for."""
        try:
            problem = response.json()
        except ValueError:
            problem = {}
        if not isinstance(problem, dict):
            problem = {}
        refused = {"title": response.reason_phrase, "status": response.status_code, **problem}
        if "retry-after" in response.headers:
            refused["retry_after_s"] = retry_after_s(response)
        return cls(response.status_code, refused)


def retry_after_s(response: httpx.Response) -> float:
    """How long the service asks to wait; 0 when it does not say."""
    try:
        return max(0.0, float(response.headers.get("retry-after", "0")))
    except ValueError:
        return 0.0
