"""Progress of a long fetch on stderr: a bar on a terminal, a line every few seconds elsewhere."""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

LINE_INTERVAL_S = 5.0


class FetchProgress:
    """Counts items and bytes from several threads and shows them."""

    def __init__(self, title: str, items_total: int, bar: Progress | None) -> None:
        self._title, self._items_total = title, items_total
        self._items = self._bytes = 0
        self._lock = threading.Lock()
        self._bar = bar
        self._task = bar.add_task(title, total=items_total, size="") if bar else None
        self._next_line_s = time.monotonic() + LINE_INTERVAL_S

    def add(self, items: int = 0, size_bytes: int = 0) -> None:
        """Reports `items` more complete and `size_bytes` more read."""
        with self._lock:
            self._items += items
            self._bytes += size_bytes
            if self._bar is not None and self._task is not None:
                self._bar.update(self._task, completed=self._items, size=self._size())
            elif time.monotonic() >= self._next_line_s:
                self._next_line_s = time.monotonic() + LINE_INTERVAL_S
                sys.stderr.write(f"{self._title}: {self._items} of {self._items_total}, {self._size()}\n")

    def _size(self) -> str:
        return f"{self._bytes / 1_000_000:.0f} MB"


@contextmanager
def fetch_progress(title: str, items_total: int) -> Iterator[FetchProgress]:
    """Shows how many of `items_total` are done while the block runs."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield FetchProgress(title, items_total, None)
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[size]}"),
    )
    with Progress(*columns, TimeElapsedColumn(), console=console, transient=True) as bar:
        yield FetchProgress(title, items_total, bar)
