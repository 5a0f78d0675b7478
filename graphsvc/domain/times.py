"""Times as text: one spelling for each instant, so that texts sort as instants do."""

from datetime import UTC, datetime
from typing import overload


@overload
def iso(instant: datetime) -> str: ...
@overload
def iso(instant: None) -> None: ...
def iso(instant: datetime | None) -> str | None:
    """ISO 8601 in UTC with `Z`; None stays None."""
    return instant.astimezone(UTC).isoformat().replace("+00:00", "Z") if instant is not None else None
