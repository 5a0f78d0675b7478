"""Resolver `codex_thread`: what was said in one session of a coding agent, from its log.

    {"resolver": "codex_thread", "ref": {"thread_id": "0199d5a0-5a6e", "message_id": "msg_07"}}

Logs are JSON Lines files beneath a configured root, in any depth of folders, named `<thread_id>.jsonl` or
`…-<thread_id>.jsonl`. The document is the text of the messages, one after the other with an empty line in
between, or that of the one message named. Which lines are messages: those with a `role` and a `content`, at
the top or in `payload`; `content` is a text or a list of parts with `text`.
"""

import asyncio
import json
import os
from collections.abc import Iterator
from contextlib import suppress
from typing import Annotated, Final

from pydantic import StringConstraints

from graphsvc import limits
from graphsvc.beneath import FileNotBeneath, FileTooLarge, open_directory, read_in
from graphsvc.errors import NotFound
from graphsvc.resolvers.aliases import Aliases, PathAlias
from graphsvc.resolvers.base import Address, DocumentProblem, Part, ResolvedDocument, Setup, Tier
from graphsvc.scope import Scope

_FOLDER_DEPTH_MAX: Final = 6
_ID_KEYS: Final = ("id", "message_id", "uuid")


class Ref(Part):
    """Which session, and which message of it."""

    thread_id: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_\-]{1,128}$")]
    message_id: str | None = None


class CodexThread:
    """Looks for the session in every root that the caller may use."""

    tier: Tier = "best_effort"

    def __init__(self, roots: Aliases[PathAlias]) -> None:
        self._roots = roots

    async def resolve(self, address: Address, scope: Scope) -> ResolvedDocument:
        """The messages' text. See `base.Resolver`."""
        wanted = address.parse_ref(Ref)
        return await asyncio.to_thread(_read_thread, self._roots.visible(scope), wanted)


def _read_thread(roots: list[PathAlias], wanted: Ref) -> ResolvedDocument:
    try:
        logs = [log for root in roots for log in _logs(root, wanted.thread_id)]
    except FileTooLarge:
        raise DocumentProblem("too_large") from None
    if len(logs) != 1:  # two sessions with one id are none
        raise NotFound
    texts = [text for identity, text in _messages(logs[0]) if wanted.message_id in {None, *identity}]
    if not texts or (wanted.message_id is not None and len(texts) > 1):
        raise NotFound
    return ResolvedDocument("\n\n".join(texts).encode(errors="surrogatepass"))


def _logs(root: PathAlias, thread_id: str) -> Iterator[bytes]:
    name, ending = f"{thread_id}.jsonl", f"-{thread_id}.jsonl"
    with suppress(FileNotBeneath), open_directory(root.path) as opened:
        for folder, folders, files, directory in os.fwalk(dir_fd=opened, follow_symlinks=False):
            folders.sort()
            if folder.count(os.sep) >= _FOLDER_DEPTH_MAX:
                folders.clear()
            for file in sorted(files):
                if file == name or file.endswith(ending):
                    with suppress(FileNotBeneath):
                        yield read_in(directory, file, limits.SESSION_LOG_BYTES_MAX)


def _messages(log: bytes) -> Iterator[tuple[set[str], str]]:
    """The ids and the text of each message; lines that are none, or no JSON, are passed over."""
    for line in log.splitlines():
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if not isinstance(entry, dict):
            continue
        message = entry["payload"] if isinstance(entry.get("payload"), dict) else entry
        text = _text(message.get("content"))
        if isinstance(message.get("role"), str) and text:
            ids = {
                holder[key]
                for holder in (entry, message)
                for key in _ID_KEYS
                if isinstance(holder.get(key), str)
            }
            yield ids, text


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        return "\n".join(part for part in parts if isinstance(part, str))
    return ""


def create(setup: Setup) -> CodexThread | None:
    """The resolver for `[resolvers.codex_thread]`; off without it."""
    roots = Aliases("codex_thread", PathAlias, setup.table or {})
    return CodexThread(roots) if roots else None
