"""Times as text: one spelling for each instant, so that texts sort as instants do."""

from datetime import UTC, datetime
from typing import Any, overload

from neo4j.time import DateTime


@overload
def iso(instant: datetime) -> str: ...
@overload
def iso(instant: None) -> None: ...
def iso(instant: datetime | None) -> str | None:
    """ISO 8601 in UTC with `Z`; None stays None."""
    return instant.astimezone(UTC).isoformat().replace("+00:00", "Z") if instant is not None else None


def in_utc(value: Any) -> Any:
    """The value with every instant in it, at any depth, in UTC by its offset.

    The driver reads the offset Z as a zone that has a name, which the graph would then store as `…Z[UTC]`: another
    value than the one read, to whatever compares or prints it.
    """
    match value:
        case dict():
            return {key: in_utc(part) for key, part in value.items()}
        case list():
            return [in_utc(part) for part in value]
        case DateTime():
            return value.to_native().astimezone(UTC)
        case _:
            return value
