"""Four scopes and five principals of one history: who may see and do what, on the real service and in the model."""

import itertools
import os
from dataclasses import dataclass, field

from tests.harness.canary import Canaries
from tests.harness.service_process import Caller
from tests.model.reference_model import Who

SCOPES = ("a", "b", "c", "d")
GRANTS: dict[str, dict[str, str]] = {
    "only-a": {"a": "read,write"},
    "only-b": {"b": "read,write"},
    "both": {"a": "read,write", "b": "read,write", "c": "read"},
    "reads-a": {"c": "read,write", "a": "read"},
    "outside": {"d": "read,write"},
}
"""The first scope of each is its default. `d` is seen by nobody else."""
_numbers = itertools.count()
_RUN = os.urandom(3).hex()


@dataclass
class ScopesWorld:
    """Scope ids have the same length in every world, so that answers of two worlds can be compared."""

    operator: Caller
    base_url: str
    canaries: Canaries = field(default_factory=Canaries)
    number: int = field(default_factory=lambda: next(_numbers))
    callers: dict[str, Caller] = field(default_factory=dict)
    tokens: dict[str, str] = field(default_factory=dict)

    def make(self) -> "ScopesWorld":
        """Create the scopes and the principals."""
        self.operator.call("create_scopes", scopes=[{"id": self.scope(name)} for name in SCOPES])
        answer = self.operator.call(
            "create_tokens",
            tokens=[
                {
                    "principal": f"m{_RUN}-{self.number}-{name}",
                    "kind": "agent",
                    "grants": {self.scope(scope): actions.split(",") for scope, actions in grants.items()},
                    "default_scope": self.scope(next(iter(grants))),
                }
                for name, grants in GRANTS.items()
            ],
        )
        for name, result in zip(GRANTS, answer["results"], strict=True):
            self.tokens[name] = result["token"]
            self.callers[name] = Caller(self.base_url, result["token"])
        return self

    def scope(self, name: str) -> str:
        """The id of a scope by its short name."""
        return f"project:m{_RUN}-{self.number:06d}-{name}"

    def who(self, name: str) -> Who:
        """A principal as the model knows it."""
        grants = GRANTS[name]
        read = frozenset(self.scope(scope) for scope, actions in grants.items() if "read" in actions)
        write = frozenset(self.scope(scope) for scope, actions in grants.items() if "write" in actions)
        return Who(name, read, write, self.scope(next(iter(grants))))

    def canary(self, scope: str) -> str:
        """The token that every text of this scope (an id) carries."""
        return self.canaries.of(scope)

    def close(self) -> None:
        """Close all connections."""
        for caller in self.callers.values():
            caller.close()
