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
    written until it no longer changes.
    """
    budget = accounting["budget"] = {"unit": limit.unit, "limit": limit.limit, "used": 0}
    while True:
        body = write()
        used = limit.used(body)
        if used <= budget["used"]:
            return body if used == budget["used"] else _pad(limit, budget, write)
        budget["used"] = used


def _pad(limit: Limit, budget: dict[str, Any], write: Callable[[], str]) -> str:
    # A figure with one digit less makes the body one character shorter than it says, and with one more it fits again:
    # cannot happen for a figure that only grows, but a silent lie about size must not either.
    raise AssertionError(f"size does not settle at {budget['used']} {limit.unit}: {limit.used(write())}")


def too_small(limit: Limit, body_of_empty: str) -> BudgetTooSmall:
    """The error that names the least limit with which an empty answer fits."""
    least = limit.used(body_of_empty)
    return BudgetTooSmall(
        f"the least limit that would do is {least} {limit.unit}",
        [Problem("$.budget.limit", f"must be at least {least} {limit.unit} for this request")],
    )
