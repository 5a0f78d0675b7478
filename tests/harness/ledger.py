"""What writers were told, to be held against what is there afterwards.

An acknowledged write must be there exactly once; one whose outcome is unknown at most once; a refused one not at all;
and no batch may be there in part.
"""

import threading
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Literal

import httpx

Verdict = Literal["acked", "unknown", "refused"]
_REFUSED_STATUSES = frozenset({400, 401, 403, 404, 409, 413, 415, 422, 429})


@dataclass(frozen=True)
class Entry:
    """One batch: the keys of its items and what the writer was told."""

    keys: tuple[str, ...]
    verdict: Verdict


@dataclass
class WriteLedger:
    """Entries of many writers at once."""

    entries: list[Entry] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def record(self, keys: Iterable[str], verdict: Verdict) -> None:
        """Note a batch."""
        with self._lock:
            self.entries.append(Entry(tuple(keys), verdict))

    def attempt(self, keys: Iterable[str], send: Callable[[], httpx.Response]) -> httpx.Response | None:
        """Send a batch and note what came back; None when nothing did."""
        keys = tuple(keys)
        try:
            response = send()
        except httpx.HTTPError:
            self.record(keys, "unknown")
            return None
        if response.status_code == 200:
            self.record(keys, "acked")
        else:
            self.record(keys, "refused" if response.status_code in _REFUSED_STATUSES else "unknown")
        return response

    def count(self, verdict: Verdict) -> int:
        """How many batches had this verdict."""
        return sum(entry.verdict == verdict for entry in self.entries)

    def problems(self, there: Iterable[str]) -> list[str]:
        """What is wrong, given the keys found afterwards (a key as often as it is there)."""
        found = Counter(there)
        wrong = [f"{key} is there {times} times" for key, times in sorted(found.items()) if times > 1]
        for entry in self.entries:
            present = [key for key in entry.keys if found[key]]
            if entry.verdict == "acked" and len(present) < len(entry.keys):
                wrong.append(f"acknowledged, but lost: {sorted(set(entry.keys) - set(present))}")
            if entry.verdict == "refused" and present:
                wrong.append(f"refused, but there: {present}")
            if present and len(present) < len(entry.keys):
                wrong.append(f"a part of a batch: {present} of {list(entry.keys)}")
        strangers = set(found) - {key for entry in self.entries for key in entry.keys}
        return wrong + [f"nobody wrote {key}" for key in sorted(strangers)]
