"""A plain model of pointer resolution (spec 04) over records of one scope: what a query must point to."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Final

import regex

from graphsvc.domain.names import collapse, pointer_key
from graphsvc.importers import Record

_TOKEN: Final = regex.compile(r"[\p{L}\p{N}\p{M}+#]+")
WINDOW_TOKENS_MAX: Final = 16

Owners = dict[str, set[str]]


class PointerModel:
    """Lookup keys of the entities in the records: exact before normalized, a name before an alias."""

    def __init__(self, records: Iterable[Record]) -> None:
        self._steps: list[Owners] = [defaultdict(set) for _ in range(4)]
        for record in records:
            if record["record"] == "entity":
                self._add(record["name"], record["name"], 0)
                for alias in record.get("aliases", []):
                    self._add(alias, record["name"], 1)

    def _add(self, spelling: str, owner: str, step: int) -> None:
        self._steps[step][collapse(spelling)].add(owner)
        self._steps[step + 2][pointer_key(spelling)].add(owner)

    def resolve(self, query: str) -> tuple[list[str], int]:
        """(names pointed to in the order of the query, number of ambiguous windows)."""
        tokens = [match.span() for match in _TOKEN.finditer(query)]
        taken = [False] * len(tokens)
        pointers: dict[int, str] = {}
        ambiguous = 0
        for size in range(min(WINDOW_TOKENS_MAX, len(tokens)), 0, -1):
            for first in range(len(tokens) - size + 1):
                if any(taken[first : first + size]):
                    continue
                owners = self._owners(query[tokens[first][0] : tokens[first + size - 1][1]])
                if owners:
                    taken[first : first + size] = [True] * size
                if len(owners) == 1:
                    pointers[first] = next(iter(owners))
                ambiguous += len(owners) > 1
        return [pointers[first] for first in sorted(pointers)], ambiguous

    def _owners(self, window: str) -> set[str]:
        keys = [collapse(window)] * 2 + [pointer_key(window)] * 2
        return next((step[key] for step, key in zip(self._steps, keys, strict=True) if key in step), set())
