"""The recall benchmark through the running service: turns written over HTTP, questions asked over HTTP.

`OverHTTP` is a Ranker of `bench/recall.py`. The observations of an answer, best first, are what it shows; a text that a
speaker said more than once is one observation, which stands for each of those turns.
"""

import os
from collections import defaultdict
from collections.abc import Sequence
from itertools import groupby
from typing import Any

import httpx

from bench.recall import Corpus

_BATCH = 200


class OverHTTP:
    """One corpus in a scope of its own on a running service."""

    def __init__(self, corpus: Corpus, base_url: str, token: str) -> None:
        self._http = httpx.Client(
            base_url=base_url, headers={"Authorization": f"Bearer {token}"}, timeout=120
        )
        self._scope = f"project:recall-{os.getpid()}-{corpus.name.lower()}"
        self.budget: dict[str, Any] = {"unit": "chars", "limit": 200_000}
        self._turns: dict[str, list[str]] = defaultdict(list)
        self._post("create_scopes", scopes=[{"id": self._scope}])
        owners = sorted({turn.owner for turn in corpus.turns})
        for start in range(0, len(owners), _BATCH):
            names = [{"name": owner} for owner in owners[start : start + _BATCH]]
            self._post("create_entities", scope=self._scope, resolve="own_scope", entities=names)
        for session, turns in groupby(corpus.turns, key=lambda turn: turn.session):
            said = list(turns)
            for start in range(0, len(said), _BATCH):
                part = said[start : start + _BATCH]
                answer = self._post(
                    "add_observations",
                    scope=self._scope,
                    provenance={"session_id": session},
                    items=[
                        {
                            "entity": turn.owner,
                            "contents": [{"text": turn.text, "observed_at": turn.at.isoformat()}],
                        }
                        for turn in part
                    ],
                )
                for turn, result in zip(part, answer["results"], strict=True):
                    self._turns[result["observations"][0]["id"]].append(turn.id)

    def _post(self, operation: str, **payload: Any) -> dict[str, Any]:
        response = self._http.post(f"/v1/{operation}", json=payload)
        response.raise_for_status()
        return dict(response.json())

    def search(self, query: str) -> Sequence[tuple[str, str]]:
        """What the answer shows, whole texts only, best first; a text counts once in size."""
        answer = self._post("search_nodes", query=query, scopes=[self._scope], budget=self.budget)
        shown = sorted(
            (
                (-observation["score"], observation["id"], observation["text"])
                for record in answer["evidence"]
                for observation in record["observations"]
                if observation["window"] is None
            ),
        )
        return [
            (turn, text if place == 0 else "")
            for _, observation_id, text in shown
            for place, turn in enumerate(self._turns[observation_id])
        ]
