"""Size on the wire: units, limits, and answers that report their own true size (spec 03)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from graphsvc.errors import BudgetTooSmall, Problem

Unit = Literal["chars", "bytes", "tokens"]
BYTES_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class Limit:
    """How large a body may be. Sizes inside are counted in `chars` or, for bytes and tokens, in bytes."""

    unit: Unit
    limit: int

    @property
    def room(self) -> int:
        """The limit in the inner measure: code points or bytes."""
        return self.limit * BYTES_PER_TOKEN if self.unit == "tokens" else self.limit

    def size(self, text: str) -> int:
        """The size of a text in the inner measure."""
        return len(text) if self.unit == "chars" else len(text.encode())

    def used(self, text: str) -> int:
        """The size of a text in the unit itself, as it is reported."""
        size = self.size(text)
        return -(-size // BYTES_PER_TOKEN) if self.unit == "tokens" else size


def settle(limit: Limit, accounting: dict[str, Any], write: Callable[[], str]) -> str:
    """Write the body with `accounting.budget.used` equal to its own true size.

    `write` serialises the answer that holds `accounting`. The size depends on the digits of the figure, so it is
    written until it no longer changes; a larger figure never makes a smaller body, so it always comes to rest.
    """
    budget = accounting["budget"] = {"unit": limit.unit, "limit": limit.limit, "used": 0}
    while True:
        body = write()
        used = limit.used(body)
        if used == budget["used"]:
            return body
        budget["used"] = used


def too_small(limit: Limit, least: int) -> BudgetTooSmall:
    """The error that names the least limit with which an empty answer fits."""
    return BudgetTooSmall(
        f"the least limit that would do is {least} {limit.unit}",
        [Problem("$.budget.limit", f"must be at least {least} {limit.unit} for this request")],
    )
