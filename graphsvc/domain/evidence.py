"""Evidence: candidates in, the best whole records under the budget out, with an account of the rest (spec 03). Pure.

Packing goes by marginal value: observations in order of score, each paying for its entity's head if it is the first
of it; then relations; then whatever still fits. The first hit is windowed, and only then dropped.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from graphsvc.domain.budget import Limit
from graphsvc.domain.framing import json_text, record_text
from graphsvc.domain.names import observation_fold

_RELATIONS_SHARE: Final = 8
"""An eighth of the room is kept for relations while observations are packed; what they leave goes back."""
_TEXT_SHARE: Final = 6
_TEXT_CHARS_MIN: Final = 240
"""A text longer than a sixth of the room (and than this) is shown as a window on its match."""
_WINDOW_CHARS_MIN: Final = 24

MatchSpans = Callable[[str], Sequence[tuple[int, int]]]


@dataclass(slots=True)
class ObservationHit:
    """A matching observation: the record as it is shown, its full text and its score."""

    record: dict[str, Any]
    text: str
    score: float
    spans: Sequence[tuple[int, int]] | None = None
    """Where the query's words stand in the text; looked for when a window is needed."""


@dataclass(slots=True)
class EntityHit:
    """An entity with its matching observations (best first) and what is shown beside them."""

    entity: dict[str, Any]
    via: str
    score: float
    score_parts: dict[str, float]
    observations: list[ObservationHit] = field(default_factory=list)
    relations: list[dict[str, Any]] = field(default_factory=list)
    unfetched: int = 0
    """Matching observations beyond those: counted, and dropped for the budget as they could not fit."""
    fetched: bool = True
    """Whether there is a card to show; without, the hit is counted and dropped for the budget."""

    def head(self) -> dict[str, Any]:
        """The record without observations and relations."""
        return {
            "entity": self.entity,
            "via": self.via,
            "score": self.score,
            "score_parts": self.score_parts,
            "observations": [],
            "relations": [],
        }


@dataclass(slots=True)
class Packed:
    """What was packed, and the counts of what was not."""

    records: list[dict[str, Any]]
    observations_returned: int = 0
    observations_duplicate: int = 0
    entities_duplicate: int = 0
    neighbours_considered: int = 0
    neighbours_returned: int = 0
    windowed: int = 0


def record_cost(limit: Limit, *, as_block: bool) -> Callable[[dict[str, Any]], int]:
    """How much one entity record adds to the body, in the inner measure of the limit."""
    if as_block:
        return lambda record: limit.size(record_text(record["entity"]["id"], record))
    return lambda record: limit.size(json_text(record)) + 1


def pack(
    hits: Sequence[EntityHit], limit: Limit, room: int, match_spans: MatchSpans, *, as_block: bool = False
) -> Packed:
    """Pack hits (best first) into `room`, in the inner measure of the limit.

    The first hit is packed whatever the room, windowed if need be, unless not even a window of it fits: so a larger
    limit never loses it.
    """
    return _Packing(hits, limit, room, match_spans, as_block=as_block).run()


class _Packing:
    def __init__(
        self, hits: Sequence[EntityHit], limit: Limit, room: int, match_spans: MatchSpans, *, as_block: bool
    ) -> None:
        self.hits = hits
        self.limit = limit
        self.left = room
        self.match_spans = match_spans
        self.as_block = as_block
        self.record_cost = record_cost(limit, as_block=as_block)
        self.text_chars_max = max(_TEXT_CHARS_MIN, room // _TEXT_SHARE)
        self.records: dict[int, dict[str, Any]] = {}
        self.seen_texts: set[str] = set()
        self.packed = Packed([])
        self.first: tuple[int, int] | None = None

    def part_cost(self, part: dict[str, Any]) -> int:
        """What one observation or relation adds: its JSON and a comma (in a block also the escapes)."""
        text = json_text(part)
        if self.as_block:
            text = text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
        return self.limit.size(text) + 1

    def run(self) -> Packed:
        order = self._order()
        self.first = order[0] if order else None
        reserve = self.left // _RELATIONS_SHARE
        later = [place for place in order if not self._take(place, keep=reserve)]
        for i in self.records:
            self._take_relations(i)
        for place in later:
            self._take(place, keep=0)
        for i, hit in enumerate(self.hits):
            if (
                i not in self.records
                and hit.observations
                and all(observation_fold(o.text).casefold() in self.seen_texts for o in hit.observations)
            ):
                self.packed.entities_duplicate += 1
        self.packed.records = [self.records[i] for i in sorted(self.records)]
        return self.packed

    def _order(self) -> list[tuple[int, int]]:
        places = [
            (hit.observations[j].score if j >= 0 else hit.score, i, j)
            for i, hit in enumerate(self.hits)
            if hit.fetched
            for j in (range(len(hit.observations)) if hit.observations else (-1,))
        ]
        # The best hit's own best evidence opens, whatever other entities' observations score.
        places.sort(key=lambda place: (place[1] != 0 or place[2] > 0, -place[0], place[1], place[2]))
        return [(i, j) for _, i, j in places]

    def _take(self, place: tuple[int, int], *, keep: int) -> bool:
        """Pack one observation (or an entity without one). True: done with it, packed or a duplicate."""
        i, j = place
        hit = self.hits[i]
        is_first = place == self.first
        room = self.left if is_first else self.left - keep
        head = None if i in self.records else hit.head()
        cost = self.record_cost(head) if head is not None else 0
        if j < 0:
            if cost > room or head is None:
                return False
            self._add_head(i, head, cost)
            return True
        observation = hit.observations[j]
        folded = observation_fold(observation.text).casefold()
        if folded in self.seen_texts:
            self.packed.observations_duplicate += 1
            return True
        if cost + self.part_cost(observation.record) > room:
            return False  # not even without its text: no need to look for its matches
        record = self._shown(observation, self.text_chars_max)
        added = self.part_cost(record)
        if cost + added > room and is_first:
            record = self._windowed_to(observation, room - cost)
            added = self.part_cost(record)
        if cost + added > room:
            return False
        if head is not None:
            self._add_head(i, head, cost)
        self.records[i]["observations"].append(record)
        self.left -= added
        self.seen_texts.add(folded)
        self.packed.observations_returned += 1
        self.packed.windowed += record["window"] is not None
        return True

    def _add_head(self, i: int, head: dict[str, Any], cost: int) -> None:
        self.records[i] = head
        self.left -= cost

    def _take_relations(self, i: int) -> None:
        self.packed.neighbours_considered += len(self.hits[i].relations)
        for relation in self.hits[i].relations:
            cost = self.part_cost(relation)
            if cost <= self.left:
                self.records[i]["relations"].append(relation)
                self.left -= cost
                self.packed.neighbours_returned += 1

    def _shown(self, observation: ObservationHit, chars_max: int) -> dict[str, Any]:
        if len(observation.text) <= chars_max:
            return {**observation.record, "text": observation.text, "window": None}
        if observation.spans is None:
            observation.spans = self.match_spans(observation.text)
        start, end = window_on(observation.text, observation.spans, chars_max)
        return {
            **observation.record,
            "text": observation.text[start:end],
            "window": {"start": start, "end": end, "of": len(observation.text)},
        }

    def _windowed_to(self, observation: ObservationHit, room: int) -> dict[str, Any]:
        """The largest window of the first hit that fits the room (or the least one, which may not fit)."""
        low, high = min(_WINDOW_CHARS_MIN, len(observation.text)), len(observation.text)
        best = self._shown(observation, low)
        while low <= high:
            middle = (low + high) // 2
            record = self._shown(observation, middle)
            if self.part_cost(record) <= room:
                best, low = record, middle + 1
            else:
                high = middle - 1
        return best


def window_on(text: str, spans: Sequence[tuple[int, int]], chars_max: int) -> tuple[int, int]:
    """The place of a window of at most `chars_max` code points that covers most of the matches, from white space to
    white space where that costs little."""
    if len(text) <= chars_max:
        return 0, len(text)
    spans = sorted(spans)
    anchor, last, most, behind = 0, 0, 0, 0
    for first, (start, _) in enumerate(spans):
        behind = max(behind, first)
        while behind < len(spans) and spans[behind][1] <= start + chars_max:
            behind += 1
        if behind - first > most:
            anchor, last, most = start, spans[behind - 1][1], behind - first
    start = max(0, anchor - (chars_max - (last - anchor)) // 2)
    start = min(start, len(text) - chars_max)
    end = start + chars_max
    slack = max(1, chars_max // 8)
    if start > 0:
        space = text.find(" ", start, min(start + slack, anchor))
        start = space + 1 if space >= 0 else start
    if end < len(text):
        space = text.rfind(" ", max(end - slack, last), end)
        end = space if space > start else end
    return start, end
