"""Cursors: where a paged read goes on. Opaque to clients; they hold positions and ids, never text."""

import base64
import binascii

import orjson

from graphsvc.errors import InvalidRequest, Problem


def encode_cursor(read: str, place: list[object]) -> str:
    """A cursor of this read at this place."""
    return base64.urlsafe_b64encode(orjson.dumps([read, *place])).decode().rstrip("=")


def decode_cursor(cursor: str, read: str) -> list[object]:
    """The place of a cursor of this read. Raises InvalidRequest for anything else."""
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        value = orjson.loads(base64.b64decode(padded.encode("ascii"), altchars=b"-_", validate=True))
    except (ValueError, binascii.Error) as error:
        raise invalid_cursor() from error
    if not isinstance(value, list) or len(value) < 2 or value[0] != read:
        raise invalid_cursor()
    return value[1:]


def invalid_cursor() -> InvalidRequest:
    """The error for a cursor that this read did not make."""
    return InvalidRequest(problems=[Problem("$.cursor", "is not a cursor of this read")])
