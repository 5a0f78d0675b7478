"""`codex_thread`: the messages of one session log beneath a configured root.

Method: logs as they are written, in dated folders, with lines that are no messages; hostile ids and links.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from graphsvc import limits
from graphsvc.errors import InvalidRequest, NotFound
from graphsvc.resolvers.registry import Registry
from tests.resolvers.support import ATLAS, BEACON, excerpt, registry, scope_of, source_ref

THREAD = "0199d5a0-5a6e-7c41-9c0a-0d6f3a1b2c4d"
LOG: list[dict[str, Any] | str] = [
    {"timestamp": "2026-01-05T10:00:00Z", "type": "session_meta", "payload": {"id": THREAD}},
    {"type": "response_item", "payload": {"type": "message", "role": "user", "id": "msg_1",
        "content": [{"type": "input_text", "text": "Who prints\non the same day?"}]}},
    "this line was cut off {",
    {"type": "response_item", "payload": {"type": "reasoning", "summary": []}},
    {"type": "response_item", "payload": {"type": "message", "role": "assistant", "id": "msg_2",
        "content": [{"type": "output_text", "text": "Acme Print."}, {"type": "image"},
                    {"type": "output_text", "text": "Ask for Ana."}]}},
    {"role": "user", "content": "Danke, größer?", "uuid": "u-3"},
    {"role": "tool", "content": "", "id": "msg_4"},
    "[]",
]  # fmt: skip
WHOLE = "Who prints\non the same day?\n\nAcme Print.\nAsk for Ana.\n\nDanke, größer?"


def write_log(path: Path, lines: list[dict[str, Any] | str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines) + "\n")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write_log(
        tmp_path / "sessions" / "2026" / "01" / "05" / f"rollout-2026-01-05T10-00-00-{THREAD}.jsonl", LOG
    )
    write_log(tmp_path / "sessions" / "plain.jsonl", [{"role": "user", "content": "short"}])
    write_log(tmp_path / "outside" / "rollout-secret.jsonl", [{"role": "user", "content": "secret"}])
    (tmp_path / "sessions" / "rollout-linked.jsonl").symlink_to(tmp_path / "outside" / "rollout-secret.jsonl")
    (tmp_path / "sessions" / "linked").symlink_to(tmp_path / "outside")
    return tmp_path / "sessions"


def resolvers_of(root: Path, scope: str = ATLAS) -> Registry:
    return registry({"codex_thread": {"sessions": {"path": str(root), "scopes": [scope]}}})


async def test_a_session_is_the_text_of_its_messages(root: Path) -> None:
    found = await excerpt(resolvers_of(root), source_ref("codex_thread", {"thread_id": THREAD}))
    assert (found.excerpt, found.tier, found.verified) == (WHOLE, "best_effort", False)
    assert (
        await excerpt(resolvers_of(root), source_ref("codex_thread", {"thread_id": "plain"}))
    ).excerpt == "short"


@pytest.mark.parametrize(
    ("message_id", "text"),
    [
        ("msg_1", "Who prints\non the same day?"),
        ("msg_2", "Acme Print.\nAsk for Ana."),
        ("u-3", "Danke, größer?"),
    ],
)
async def test_a_message_is_found_by_its_id(root: Path, message_id: str, text: str) -> None:
    value = source_ref("codex_thread", {"thread_id": THREAD, "message_id": message_id})
    assert (await excerpt(resolvers_of(root), value)).excerpt == text


async def test_a_quote_crosses_the_lines_of_a_message(root: Path) -> None:
    locator = {"quote": {"exact": "prints\non the"}}
    found = await excerpt(
        resolvers_of(root), source_ref("codex_thread", {"thread_id": THREAD}, locator=locator)
    )
    assert (found.selector, found.problems) == ("quote", ())


@pytest.mark.parametrize(
    "ref",
    [
        {"thread_id": "missing"},
        {"thread_id": "linked"},
        {"thread_id": "secret"},
        {"thread_id": THREAD[:8]},
        {"thread_id": THREAD, "message_id": "msg_9"},
        {"thread_id": THREAD, "message_id": "msg_4"},
        {"thread_id": THREAD, "message_id": ""},
    ],
)
async def test_what_is_not_there_is_not_found(root: Path, ref: dict[str, str]) -> None:
    with pytest.raises(NotFound):
        await excerpt(resolvers_of(root), source_ref("codex_thread", ref))


async def test_a_root_exists_for_its_readers_only(root: Path) -> None:
    with pytest.raises(NotFound):
        await excerpt(resolvers_of(root, BEACON), source_ref("codex_thread", {"thread_id": THREAD}))
    found = await excerpt(
        resolvers_of(root, BEACON), source_ref("codex_thread", {"thread_id": "plain"}), scope=scope_of(BEACON)
    )
    assert found.excerpt == "short"


async def test_two_logs_of_one_thread_are_none(root: Path) -> None:
    write_log(root / "copy" / f"{THREAD}.jsonl", LOG)
    with pytest.raises(NotFound):
        await excerpt(resolvers_of(root), source_ref("codex_thread", {"thread_id": THREAD}))


@pytest.mark.parametrize("thread_id", ["../outside/rollout-secret", "*", "", "a/b", "plain.jsonl", "x" * 129])
async def test_an_id_is_a_plain_word(root: Path, thread_id: str) -> None:
    with pytest.raises(InvalidRequest):
        await excerpt(resolvers_of(root), source_ref("codex_thread", {"thread_id": thread_id}))


async def test_sizes_are_limited(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "SESSION_LOG_BYTES_MAX", 100)
    found = await excerpt(resolvers_of(root), source_ref("codex_thread", {"thread_id": THREAD}))
    assert found.problems == ("too_large",)


async def test_broken_text_is_binary(root: Path) -> None:
    write_log(root / "broken.jsonl", ['{"role": "user", "content": "\\ud800"}'])
    found = await excerpt(resolvers_of(root), source_ref("codex_thread", {"thread_id": "broken"}))
    assert found.problems == ("binary",)


async def test_a_root_that_is_gone_holds_nothing(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        await excerpt(resolvers_of(tmp_path / "gone"), source_ref("codex_thread", {"thread_id": THREAD}))
