"""The errors of the service.

    GraphsvcError
    ├── InvalidRequest            422  the request does not fit its model (paths and reasons in `problems`)
    │   ├── BudgetTooSmall        422  not even an empty answer fits
    │   ├── BatchRejected         422  `atomic: true` and at least one item could not be carried out
    │   └── MalformedBody         400  not JSON
    ├── Unauthorized              401  no token, or one that is unknown, expired or revoked
    ├── Forbidden                 403  the principal lacks the grant for this operation everywhere
    ├── NotFound                  404  missing, invisible or retired: one and the same
    │   └── ScopeNotFound         404  a write names a scope that is not there for the caller
    ├── HostNotAllowed            421  the Host header is not one of this service
    ├── OriginNotAllowed          403  the Origin header is not one that may call from a browser
    ├── MethodNotAllowed          405
    ├── Conflict                  409
    │   ├── ApprovalRequired      409  a person has to approve exactly this first
    │   ├── EvidenceRequired      409  no evidence, or not enough
    │   ├── PolicyRefuses         409  the scope's policy does not allow it
    │   ├── IdempotencyMismatch   409  the key was used with another body
    │   └── IdempotencyRunning    409  the first request with this key has not ended
    ├── BodyTooLarge              413
    ├── TransactionTooLarge       413  the database's memory cap for one transaction was hit
    ├── UnsupportedMediaType      415
    ├── RateLimited               429  retry later
    ├── InternalError             500  a defect; the log has the request id
    ├── Unavailable               503  retry later
    │   ├── Overloaded            503  too many requests in the house
    │   ├── DatabaseUnavailable   503  Neo4j cannot be reached
    │   ├── NotReady              503  schema or indexes are not in place yet
    │   ├── WritesPaused          503  a backup or an import holds the gate for writes
    │   └── OutcomeUnknown        503  the answer to a commit was lost; look before you repeat
    └── DeadlineExceeded          504  the deadline of the request passed

The first line of a class's docstring is the title a client sees. `slug` is the stable end of the problem type
(`/errors/<slug>`). Messages never hold stored text, queries, or anything about what the caller cannot see.
Spec chapters 09 and 12.
"""

from collections.abc import Sequence
from typing import ClassVar, NamedTuple


class Problem(NamedTuple):
    """One thing wrong with a request: where (JSON path) and why."""

    path: str
    reason: str


class GraphsvcError(Exception):
    """Something went wrong."""

    slug: ClassVar[str] = "error"
    status: ClassVar[int] = 500
    retry_after_s: ClassVar[int | None] = None

    def __init__(self, detail: str | None = None, problems: Sequence[Problem] = ()) -> None:
        self.detail = detail or self.title()
        self.problems = list(problems)
        super().__init__(self.detail)

    @classmethod
    def title(cls) -> str:
        """The first line of the docstring, without its full stop."""
        return (cls.__doc__ or cls.__name__).strip().splitlines()[0].rstrip(".")


class InvalidRequest(GraphsvcError):
    """The request is not valid."""

    slug = "invalid_request"
    status = 422


class MalformedBody(InvalidRequest):
    """The body is not JSON."""

    slug = "malformed_body"
    status = 400


class BudgetTooSmall(InvalidRequest):
    """The budget cannot hold even an empty answer."""

    slug = "budget_too_small"


class BatchRejected(InvalidRequest):
    """The batch was atomic and some of its items could not be carried out; nothing was written."""

    slug = "batch_rejected"


class Unauthorized(GraphsvcError):
    """A valid bearer token is needed."""

    slug = "unauthorized"
    status = 401


class Forbidden(GraphsvcError):
    """The principal has no grant for this operation."""

    slug = "forbidden"
    status = 403


class NotFound(GraphsvcError):
    """There is no such thing."""

    slug = "not_found"
    status = 404


class ScopeNotFound(NotFound):
    """There is no such scope to write to."""

    slug = "scope_not_found"


class HostNotAllowed(GraphsvcError):
    """The Host header is not one that this service answers to; see the setting http_allowed_hosts."""

    slug = "host_not_allowed"
    status = 421


class OriginNotAllowed(GraphsvcError):
    """The Origin header is not one that may call this service; see the setting http_allowed_origins."""

    slug = "origin_not_allowed"
    status = 403


class MethodNotAllowed(GraphsvcError):
    """The path exists, but not for this method."""

    slug = "method_not_allowed"
    status = 405


class Conflict(GraphsvcError):
    """The request conflicts with what is there."""

    slug = "conflict"
    status = 409


class ApprovalRequired(Conflict):
    """A person has to approve exactly this first."""

    slug = "approval_required"


class EvidenceRequired(Conflict):
    """There is no evidence for the claim, or not enough."""

    slug = "evidence_required"


class PolicyRefuses(Conflict):
    """The policy of the scope does not allow this."""

    slug = "policy_refuses"


class IdempotencyMismatch(Conflict):
    """The Idempotency-Key was used before with another request."""

    slug = "idempotency_mismatch"


class IdempotencyRunning(Conflict):
    """The first request with this Idempotency-Key is still running."""

    slug = "idempotency_running"
    retry_after_s = 1


class BodyTooLarge(GraphsvcError):
    """The body is too large."""

    slug = "body_too_large"
    status = 413


class TransactionTooLarge(GraphsvcError):
    """The batch needs more memory than one transaction may use; send it in parts."""

    slug = "transaction_too_large"
    status = 413


class UnsupportedMediaType(GraphsvcError):
    """The body must be application/json."""

    slug = "unsupported_media_type"
    status = 415


class RateLimited(GraphsvcError):
    """Too many requests from this principal."""

    slug = "rate_limited"
    status = 429
    retry_after_s = 1


class InternalError(GraphsvcError):
    """Something went wrong inside; the request id finds it in the log."""

    slug = "internal"


class Unavailable(GraphsvcError):
    """The service cannot answer now."""

    slug = "unavailable"
    status = 503
    retry_after_s = 1


class Overloaded(Unavailable):
    """Too many requests are being answered."""

    slug = "overloaded"


class DatabaseUnavailable(Unavailable):
    """The database cannot be reached."""

    slug = "database_unavailable"


class NotReady(Unavailable):
    """The database is not ready: schema or indexes are not in place."""

    slug = "not_ready"


class WritesPaused(Unavailable):
    """Writes are paused for a moment, for a backup or an import."""

    slug = "writes_paused"
    retry_after_s = 2


class OutcomeUnknown(Unavailable):
    """The answer to a commit was lost: the write may have happened or not."""

    slug = "outcome_unknown"


class DeadlineExceeded(GraphsvcError):
    """The deadline of the request passed; nothing was left behind."""

    slug = "deadline_exceeded"
    status = 504
    retry_after_s = 1
