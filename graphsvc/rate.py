"""A rate per principal: a bucket of tokens that fills with time (spec 09)."""

import time
from typing import Final

from graphsvc.errors import RateLimited

_BURST_S: Final = 2.0


class RateLimiter:
    """At most `per_s` requests a second for each principal of this worker, two seconds' worth at once; 0: no limit."""

    def __init__(self, per_s: float) -> None:
        self._per_s = per_s
        self._buckets: dict[str, tuple[float, float]] = {}

    def take(self, principal: str) -> None:
        """Count one request. Raises RateLimited when the principal has none left."""
        if not self._per_s:
            return
        now = time.monotonic()
        most = max(1.0, self._per_s * _BURST_S)
        left, at = self._buckets.get(principal, (most, now))
        left = min(most, left + (now - at) * self._per_s)
        if left < 1:
            self._buckets[principal] = (left, now)
            raise RateLimited
        self._buckets[principal] = (left - 1, now)
