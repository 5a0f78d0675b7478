"""The recall benchmark through Neo4j's own full-text order: default analyzer, default similarity, nothing of ours.

`Neo4jFullText` is a Ranker of `bench/recall.py`; each corpus has an index of its own, which is dropped at the end.
"""

import os
import re
from collections.abc import Sequence

from neo4j import GraphDatabase

from bench.recall import Corpus

_HITS_MAX = 2_000
_WORD = re.compile(r"\w+")


class Neo4jFullText:
    """One corpus in a label and a full-text index of its own."""

    def __init__(self, corpus: Corpus, uri: str, password: str) -> None:
        self._driver = GraphDatabase.driver(uri, auth=("neo4j", password), notifications_min_severity="OFF")
        self._name = f"bench_{os.getpid()}_{re.sub(r'[^a-z0-9]', '_', corpus.name.lower())}"
        rows = [{"id": turn.id, "text": turn.text} for turn in corpus.turns]
        self._run(f"UNWIND $rows AS row CREATE (:{self._name} {{id: row.id, text: row.text}})", rows=rows)
        self._run(f"CREATE FULLTEXT INDEX {self._name} FOR (n:{self._name}) ON EACH [n.text]")
        self._run("CALL db.awaitIndexes()")

    def _run(self, statement: str, **parameters: object) -> list[dict[str, str]]:
        with self._driver.session() as session:
            return session.run(statement, parameters).data()  # type: ignore[arg-type]

    def search(self, query: str) -> Sequence[tuple[str, str]]:
        """The turns in the index's order."""
        words = " ".join(_WORD.findall(query.lower()))
        rows = self._run(
            "CALL db.index.fulltext.queryNodes($index, $words, {limit: $most}) YIELD node, score "
            "RETURN node.id AS id, node.text AS text ORDER BY score DESC, id",
            index=self._name,
            words=words,
            most=_HITS_MAX,
        )
        return [(row["id"], row["text"]) for row in rows]

    def close(self) -> None:
        """Leave nothing behind."""
        self._run(f"DROP INDEX {self._name}")
        self._run(f"MATCH (n:{self._name}) DELETE n")
        self._driver.close()
