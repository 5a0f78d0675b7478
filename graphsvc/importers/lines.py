"""Reading the lines of a file that may hold anything: in bounded memory, and no bad line is fatal."""

import codecs
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NoReturn

from graphsvc import limits
from graphsvc.importers.sourced_record import Problem, Record

_SKIP_BYTES: Final = 64 * 1024


class LineError(ValueError):
    """A line that is not what it should be; its text is the reason shown to the operator."""


def read_lines(
    path: Path, line_bytes_max: int = limits.LOAD_LINE_BYTES_MAX
) -> Iterator[tuple[int, bytes | Problem]]:
    """Yield (line number from 1, line without its end) for each line that is not blank.

    A line over `line_bytes_max` bytes is a Problem and is skipped without being held in memory. A byte order
    mark before the first line is dropped. Raises OSError when the file cannot be read.
    """
    with path.open("rb") as file:
        line_number = 0
        # Two bytes more than the limit leave room for the line's end, which does not count.
        while line := file.readline(line_bytes_max + 2):
            line_number += 1
            content = line.rstrip(b"\r\n")
            if len(content) > line_bytes_max:
                while not line.endswith(b"\n") and (line := file.readline(_SKIP_BYTES)):
                    pass
                yield line_number, Problem(f"the line is longer than {line_bytes_max} bytes")
                continue
            if line_number == 1:
                content = content.removeprefix(codecs.BOM_UTF8)
            if content.strip():
                yield line_number, content


def decode_text(line: bytes) -> str:
    """The line as text, or LineError naming the byte that is not UTF-8."""
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise LineError(f"byte {error.start + 1} of the line is not UTF-8") from None


def decode_object(line: bytes) -> Record:
    """The line as one JSON object, read strictly, or LineError.

    Refused beyond what is not JSON: duplicate keys (which of the two was meant?), NaN and infinities (no
    JSON, and nothing could compare them), numbers outside the range of a double, and lone surrogates (not
    text).
    """
    try:
        value = _DECODER.decode(decode_text(line))
        if not isinstance(value, dict):
            raise LineError("the line is not a JSON object")
        if b"\\u" in line:
            json.dumps(value, ensure_ascii=False).encode("utf-8")
    except json.JSONDecodeError as error:
        raise LineError(f"not valid JSON at column {error.colno}: {error.msg}") from None
    except UnicodeEncodeError:
        raise LineError("a string holds half of a surrogate pair") from None
    except RecursionError:
        raise LineError("the JSON is nested too deeply") from None
    except LineError:
        raise
    except ValueError:  # an integer with more digits than Python converts
        raise LineError("a number has too many digits") from None
    return value


def read_objects(path: Path) -> Iterator[tuple[int, Record | Problem]]:
    """Yield (line number, JSON object or Problem) for each line that is not blank. Raises OSError."""
    for line_number, line in read_lines(path):
        if isinstance(line, Problem):
            yield line_number, line
            continue
        try:
            yield line_number, decode_object(line)
        except LineError as error:
            yield line_number, Problem(str(error))


def _unique_keys(pairs: list[tuple[str, Any]]) -> Record:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise LineError("an object names the same key twice")
    return value


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise LineError("a number is too large")
    return number


def _no_constant(name: str) -> NoReturn:
    raise LineError(f"{name} is not a JSON number")


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_unique_keys, parse_float=_finite, parse_constant=_no_constant
)
