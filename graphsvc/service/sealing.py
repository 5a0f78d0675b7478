"""The sealer: appends new transitions to their scope's chain within a minute (spec 08).

Writers do not wait for one another: they mark transitions unsealed, and one sealer at a time, under the lock of the
chain's end, puts them in. The ends also go to a file, so that a chain cut short in the database is noticed.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import orjson

from graphsvc.bookmarks import service_secret
from graphsvc.domain.chain import key_id, plain, seal_entry
from graphsvc.domain.times import iso
from graphsvc.errors import GraphsvcError
from graphsvc.graph import Graph, Transaction
from graphsvc.settings import Settings
from graphsvc.telemetry import log

SEAL_EVERY_S: Final = 20.0
_PAGE: Final = 1_000


def audit_key(settings: Settings) -> bytes:
    """The key of the chain: from the settings, or made once in the home. It is never in the database."""
    if settings.audit_key is not None:
        return settings.audit_key.get_secret_value().encode()
    return service_secret(settings.home / "audit.key")


def heads_file(settings: Settings) -> Path:
    """Where the ends of the chains are kept beside the database: one JSON line each time one moves."""
    return settings.home / "audit-heads.jsonl"


async def seal_all(graph: Graph, settings: Settings) -> int:
    """Seal every transition that waits; returns how many that were."""
    key, sealed = audit_key(settings), 0
    for row in await graph.read(None, "audit/scopes_to_seal"):
        async for head in _seal_scope(graph, key, row["scope"]):
            sealed += head.pop("sealed")
            _keep_head(settings, {**head, "key_id": key_id(key)})
    return sealed


async def _seal_scope(graph: Graph, key: bytes, scope: str) -> AsyncIterator[dict[str, Any]]:
    async def work(tx: Transaction) -> tuple[int, int, str]:
        head = (await tx.run("audit/lock_head", chain=scope))[0]
        entries = [row["entry"] for row in await tx.run("audit/take_unsealed", chain=scope, page=_PAGE)]
        entries.sort(
            key=lambda entry: (plain(entry["at"]), entry["target_id"], entry["revision"], entry["id"])
        )
        seq, before = head["seq"], head["seal"]
        rows = []
        for entry in entries:
            seal = seal_entry(key, before, seq + 1, entry)
            seq, before = seal.seq, seal.seal
            rows.append(
                {
                    "id": entry["id"],
                    "seq": seq,
                    "salt": seal.salt,
                    "content_sha256": seal.content_sha256,
                    "seal": before,
                }
            )
        if rows:
            await tx.run("audit/seal_entries", chain=scope, rows=rows, seq=seq, seal=before)
        return len(rows), seq, before

    while True:
        (sealed, seq, seal), _ = await graph.transaction(None, work, name="seal")
        if not sealed:
            return
        yield {"at": iso(datetime.now(UTC)), "scope": scope, "seq": seq, "seal": seal, "sealed": sealed}


def _keep_head(settings: Settings, head: dict[str, Any]) -> None:
    file = heads_file(settings)
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with file.open("ab") as opened:
        opened.write(orjson.dumps(head, option=orjson.OPT_APPEND_NEWLINE))


def keep_restored_heads(settings: Settings, heads: Sequence[dict[str, Any]]) -> None:
    """Note that the chains end here now, as a backup was restored: later ends that were kept are of no account."""
    at = iso(datetime.now(UTC))
    for head in heads:
        _keep_head(settings, {"at": at, "restored": True, **head})


def kept_heads(settings: Settings) -> dict[str, dict[int, str]]:
    """The ends that the file knows: scope to place to seal. Lines that cannot be read are left out."""
    found: dict[str, dict[int, str]] = {}
    file = heads_file(settings)
    if not file.exists():
        return found
    for line in file.read_bytes().splitlines():
        try:
            head = orjson.loads(line)
            known = found.setdefault(head["scope"], {})
            if head.get("restored"):
                known = found[head["scope"]] = {
                    seq: seal for seq, seal in known.items() if seq <= head["seq"]
                }
            if head["seq"]:
                known[head["seq"]] = head["seal"]
        except (orjson.JSONDecodeError, KeyError, TypeError):
            continue
    return found


async def seal_for_ever(graph: Graph, settings: Settings) -> None:
    """Seal again and again, as long as the service runs; a database that is away is tried again."""
    while True:
        await asyncio.sleep(SEAL_EVERY_S)
        try:
            await seal_all(graph, settings)
        except GraphsvcError as error:
            log.warning("not_sealed_yet", error=type(error).__name__)
        except Exception as error:
            log.error("sealing_failed", error=type(error).__name__)
