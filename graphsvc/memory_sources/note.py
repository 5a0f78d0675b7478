"""One Markdown memory: its fact, whether it is discarded, and what its front matter refers to (spec 06).
Pure.

The fact is the first paragraph of prose, on one line: not front matter, a heading, a table, an item that is a
link or a check box, or a paragraph of nothing but links and pictures. A code fence ends the search. Without
such a paragraph it is the first heading of level 1.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import yaml
from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.front_matter import front_matter_plugin

from graphsvc import limits

_BLOCKS: Final = MarkdownIt("commonmark").enable("table").use(front_matter_plugin)
_BLOCKS.core.ruler.enableOnly(["normalize", "block"])  # what is inside a line is looked at where it matters
_INLINE: Final = MarkdownIt("commonmark")

_FRONT_MATTER_CHARS_MAX: Final = 64 * 1024
_FRONT_MATTER_BRACKETS_MAX: Final = 256
_TOP_LEVEL_KEY: Final = re.compile(r"(?P<key>[A-Za-z_][\w-]*)[ \t]*:(?P<value>.*)", re.DOTALL)
_DISCARD_LINE: Final = re.compile(r"\s*<!--\s*discard\s*-->\s*")
_LINK_OR_CHECK_BOX: Final = re.compile(r"!?\[|<\w+:")
_CLASSIFIED_CHARS_MAX: Final = 2_000
_SENTENCE_END: Final = re.compile(r"[.!?…]['\")\]]*(?=\s)|[。！？]")
_CUT_SHARE_MIN: Final = 0.4


@dataclass(frozen=True, slots=True)
class Note:
    """What a memory file says. `fact` is None for one without prose and heading."""

    fact: str | None
    discarded: bool
    references: tuple[str, ...]


def read_note(text: str) -> Note:
    """Read a Markdown text."""
    tokens = _BLOCKS.parse(text)
    front_matter = _front_matter(
        next((token.content for token in tokens if token.type == "front_matter"), "")
    )
    fact = _first_prose(tokens) or _first_title(tokens)
    return Note(
        fact=cut_fact(fact) if fact else None,
        discarded=_is_discarded(front_matter, tokens),
        references=_references(front_matter.get("references")),
    )


def cut_fact(text: str) -> str:
    """At most MEMORY_FACT_CHARS_MAX characters of a line: to a sentence end past 40 % of it, else to a word."""
    if len(text) <= limits.MEMORY_FACT_CHARS_MAX:
        return text
    window = text[: limits.MEMORY_FACT_CHARS_MAX]
    ends = [
        match.end() for match in _SENTENCE_END.finditer(text[: len(window) + 1]) if match.end() <= len(window)
    ]
    if ends and ends[-1] > limits.MEMORY_FACT_CHARS_MAX * _CUT_SHARE_MIN:
        return text[: ends[-1]]
    if text[len(window)] == " ":
        return window
    words, space, _ = window.rpartition(" ")
    return words if space and words else window


def _first_prose(tokens: list[Token]) -> str | None:
    skipped_item_level: int | None = None
    for index, token in enumerate(tokens):
        if token.type == "fence":
            return None
        if (
            token.type == "list_item_open"
            and skipped_item_level is None
            and _is_link_or_check_box(tokens, index)
        ):
            skipped_item_level = token.level
        elif token.type == "list_item_close" and token.level == skipped_item_level:
            skipped_item_level = None
        elif token.type == "paragraph_open" and skipped_item_level is None:
            content = tokens[index + 1].content
            if _has_words_of_its_own(content):
                return _one_line(content)
    return None


def _is_link_or_check_box(tokens: list[Token], item: int) -> bool:
    opening = tokens[item + 1]
    return opening.type == "paragraph_open" and _LINK_OR_CHECK_BOX.match(tokens[item + 2].content) is not None


def _has_words_of_its_own(content: str) -> bool:
    """Whether a paragraph has letters or digits outside of links, pictures and markup."""
    depth = 0
    for token in _INLINE.parseInline(content[:_CLASSIFIED_CHARS_MAX])[0].children or []:
        depth += {"link_open": 1, "link_close": -1}.get(token.type, 0)
        if depth == 0 and token.type in {"text", "code_inline"} and any(map(str.isalnum, token.content)):
            return True
    return False


def _first_title(tokens: list[Token]) -> str | None:
    for index, token in enumerate(tokens):
        if token.type == "heading_open" and token.tag == "h1" and tokens[index + 1].content.strip():
            return _one_line(tokens[index + 1].content)
    return None


def _one_line(content: str) -> str:
    return " ".join(content.replace("\\\n", "\n").split())


def _is_discarded(front_matter: Mapping[str, Any], tokens: list[Token]) -> bool:
    status = front_matter.get("status")
    if front_matter.get("discard") is True or (
        isinstance(status, str) and status.strip().casefold() == "discarded"
    ):
        return True
    comments = (token.content for token in tokens if token.type == "html_block")
    return any(_DISCARD_LINE.fullmatch(line) for comment in comments for line in comment.splitlines())


def _references(value: object) -> tuple[str, ...]:
    """The texts under `references`, one or a list, each once."""
    values = value if isinstance(value, list) else [value]
    return tuple(dict.fromkeys(item.strip() for item in values if isinstance(item, str) and item.strip()))


class _Loader(yaml.SafeLoader):
    """Plain data only. Aliases are refused: nested, they make a few bytes into gigabytes."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("aliases are not read")
        return super().compose_node(parent, index)


def _front_matter(content: str) -> Mapping[str, Any]:
    """Front matter as a mapping; read key by key when it is no YAML as a whole (`globs: **/*.ts` is none)."""
    if len(content) > _FRONT_MATTER_CHARS_MAX:
        return {}
    whole = _load_yaml(content)
    if isinstance(whole, dict):
        return whole
    found: dict[str, Any] = {}
    blocks: list[str] = []
    for line in content.splitlines(keepends=True):
        if _TOP_LEVEL_KEY.match(line) or not blocks:
            blocks.append(line)
        else:
            blocks[-1] += line
    for block in blocks:
        match = _TOP_LEVEL_KEY.match(block)
        if match:
            alone = _load_yaml(block)
            value = (
                alone[match["key"]]
                if isinstance(alone, dict) and match["key"] in alone
                else match["value"].strip()
            )
            found.setdefault(match["key"], value)
    return found


def _load_yaml(text: str) -> object:
    """The YAML value, or None for what is none (or nested so that reading it would take long)."""
    if text.count("[") + text.count("{") > _FRONT_MATTER_BRACKETS_MAX:
        return None
    try:
        return yaml.load(text, _Loader)  # noqa: S506 - a safe loader
    except (yaml.YAMLError, ValueError, TypeError, OverflowError, RecursionError):
        return None
