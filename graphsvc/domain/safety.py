"""Secrets and private addresses in a text: what kind, in which line, and never the thing itself (spec 02, 06).

Shapes, not guesses: token formats that their issuers have published, private key blocks, assignments of
passwords and keys, and e-mail addresses outside of the domains that are reserved for examples. Placeholders
(`<token>`, `${PASSWORD}`, `changeme`, `xxxx`) and code (`password = read_password()`) are not findings. Every
pattern is bounded and tried only where its first word stands, so that the time is linear in the text.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Any, Final, Literal, NamedTuple

FindingKind = Literal["api_key", "token", "private_key", "password", "email"]

WARNING_CODE: Final = "looks_like_a_secret"


class Finding(NamedTuple):
    """One thing that should not be in a memory. `line` counts from 1; lines end with LF, CRLF or CR."""

    kind: FindingKind
    line: int


_SHAPES: Final[tuple[tuple[FindingKind, str, str], ...]] = (
    # kind, how it starts, how it goes on
    ("private_key", "-----BEGIN ", r"(?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----"),
    ("private_key", "PuTTY-User-Key-File-", r"\d"),
    ("private_key", "AGE-SECRET-KEY-1", r"[0-9A-Z]{20}"),
    ("api_key", "AKIA", r"[A-Z0-9]{16}\b"),
    ("api_key", "ASIA", r"[A-Z0-9]{16}\b"),
    ("api_key", "AIza", r"[0-9A-Za-z_-]{35}"),
    ("api_key", "sk-", r"(?:[a-z]{2,10}-){0,2}[A-Za-z0-9_-]{20}"),
    ("api_key", "sk_live_", r"[A-Za-z0-9]{16}"),
    ("api_key", "sk_test_", r"[A-Za-z0-9]{16}"),
    ("api_key", "rk_live_", r"[A-Za-z0-9]{16}"),
    ("api_key", "SG.", r"[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{16}"),
    ("api_key", "AccountKey=", r"[A-Za-z0-9+/]{40}"),
    ("token", "ghp_", r"[A-Za-z0-9]{36}"),
    ("token", "gho_", r"[A-Za-z0-9]{36}"),
    ("token", "ghu_", r"[A-Za-z0-9]{36}"),
    ("token", "ghs_", r"[A-Za-z0-9]{36}"),
    ("token", "ghr_", r"[A-Za-z0-9]{36}"),
    ("token", "github_pat_", r"[A-Za-z0-9_]{22}"),
    ("token", "glpat-", r"[A-Za-z0-9_-]{20}"),
    ("token", "xox", r"[abeoprs]-[A-Za-z0-9-]{10}"),
    ("token", "xapp-", r"\d-[A-Za-z0-9-]{10}"),
    ("token", "npm_", r"[A-Za-z0-9]{36}"),
    ("token", "pypi-", r"[A-Za-z0-9_-]{50}"),
    ("token", "hf_", r"[A-Za-z0-9]{30}"),
    ("token", "dop_v1_", r"[0-9a-f]{64}"),
    ("token", "gsv_", r"[A-Za-z0-9_-]{20}"),
    ("token", "eyJ", r"[A-Za-z0-9_-]{8,2048}\.eyJ[A-Za-z0-9_-]{8,4096}\.[A-Za-z0-9_-]{8}"),
    ("token", "earer ", r" {0,3}(?=[A-Za-z._~+/-]{0,64}\d)[A-Za-z0-9._~+/-]{20}"),
)
_TOKENS: Final = tuple(
    (kind, start.encode(), re.compile(re.escape(start).encode() + rest.encode()))
    for kind, start, rest in _SHAPES
)

_INSIDE_A_WORD: Final = frozenset(
    bytes([byte]) for byte in range(256) if bytes([byte]).isalnum() or byte in b"_-"
)

_NAMES: Final[tuple[tuple[FindingKind, str, str], ...]] = (
    ("password", "pass", r"(?:word|wd|phrase|code)"),
    ("password", "pwd", ""),
    ("token", "token", ""),
    ("api_key", "key", ""),
    ("api_key", "secret", ""),
)
_VALUE: Final = (
    r"(?P<rest>\w{0,16})[\"'`*\]]{0,3}[ \t]{0,4}(?P<sign>:=|=>|=|:|is\b)[ \t]{0,4}"
    r"(?:(?P<quote>[\"'`])(?P<quoted>[^\"'`\r\n]{6,200})(?P=quote)|(?P<bare>[^\s\"'`,;<>(){}\[\]]{6,200}))"
)
_ASSIGNMENTS: Final = tuple(
    (kind, name.encode(), re.compile(f"(?i:{name}{rest}){_VALUE}".encode())) for kind, name, rest in _NAMES
)
_KEY_QUALIFIER: Final = re.compile(rb"(?i)(?:api|access|private|secret|signing|encryption|auth)[_ -]?\Z")
_TOKEN_QUALIFIER: Final = re.compile(rb"(?i)(?:access|auth|refresh|bot|api|session)[_-]?\Z")
_QUALIFIER_BYTES_MAX: Final = 16
_URL_PASSWORD: Final = re.compile(rb"://[^\s/:@\"'`]{1,64}:(?P<value>[^\s/@\"'`]{3,128})@")

_PLACEHOLDER: Final = re.compile(
    rb"(?i)[<$%{\[(*]|x{3}|\.{3}|\xe2\x80\xa6|your|change[_-]?me|placeholder|example|redacted|dummy|sample|todo"
    rb"|^(?:my|the|a|some|test)?[_-]?(?:user)?[_-]?(?:pass(?:word|wd|phrase)?|pwd|secret|token|key|string)[_-]?\d{0,3}$"
)
_CODE: Final = re.compile(rb"[A-Za-z_][\w-]*(?:(?:\.|->|::)[A-Za-z_][\w-]*)*[!?.:]*")
"""A name, or names joined as code joins them: not a value by itself."""

_DOMAIN: Final = re.compile(rb"@(?P<domain>[\w-]{1,63}(?:\.[\w-]{1,63}){1,8})(?P<after>[:/]?)")
_LOCAL_PART_END: Final = re.compile(rb"[\w!#$%&*+/=?^{|}~\x80-\xff-]")
_EXAMPLE_DOMAIN: Final = re.compile(
    rb"(?:.+\.)?(?:example(?:\.(?:com|net|org|edu))?|test|invalid|localhost|local)"
)
_FILE_ENDINGS: Final = frozenset(
    {b"png", b"jpg", b"jpeg", b"gif", b"svg", b"webp", b"css", b"js", b"ts", b"jsx", b"tsx", b"json"}
)
_DIGITS: Final = tuple(str(digit).encode() for digit in range(10))
_LINE_END: Final = re.compile(rb"\r\n|\n|\r")

_Found = Iterator[tuple[FindingKind, int]]


def secret_warning(**texts: str | None) -> dict[str, Any]:
    """What a write says beside the outcome of texts that look like secrets: kind, field and line; else nothing.

    An e-mail address is no secret in a fact that somebody chose to record.
    """
    findings = [
        {"kind": finding.kind, "field": field, "line": finding.line}
        for field, text in texts.items()
        if text
        for finding in find_secrets(text)
        if finding.kind != "email"
    ]
    return {"warning": {"code": WARNING_CODE, "findings": findings}} if findings else {}


def find_secrets(text: str) -> list[Finding]:
    """Every finding in `text`, by line and kind, each once. Linear in the length of the text."""
    # As bytes, since there lower case is as long as upper case and \w means ASCII.
    content = text.encode(errors="surrogatepass")
    positions = [*_tokens(content), *_assignments(content), *_url_passwords(content), *_emails(content)]
    if not positions:
        return []
    line_starts = [0, *(end.end() for end in _LINE_END.finditer(content))]
    found = {Finding(kind, bisect_right(line_starts, position)) for kind, position in positions}
    return sorted(found, key=lambda finding: (finding.line, finding.kind))


def _occurrences(content: bytes, word: bytes) -> Iterator[int]:
    position = content.find(word)
    while position >= 0:
        yield position
        position = content.find(word, position + 1)


def _tokens(content: bytes) -> _Found:
    for kind, start, shape in _TOKENS:
        for position in _occurrences(content, start):
            if content[position - 1 : position] in _INSIDE_A_WORD and start != b"earer ":
                continue
            match = shape.match(content, position)
            if match and not _is_masked(match[0]):
                yield kind, position


def _assignments(content: bytes) -> _Found:
    lowered = content.lower()
    for kind, name, shape in _ASSIGNMENTS:
        for position in _occurrences(lowered, name):
            match = shape.match(content, position)
            if (
                match
                and _is_qualified(kind, name, content, position)
                and _is_assigned_secret(kind, content, match)
            ):
                yield kind, position


def _is_qualified(kind: FindingKind, name: bytes, content: bytes, position: int) -> bool:
    """`key` and `token` are words of all trades: only with a word like `api_` before them are they secrets."""
    before = content[max(0, position - _QUALIFIER_BYTES_MAX) : position]
    if name == b"key":
        return _KEY_QUALIFIER.search(before) is not None
    return kind != "token" or _TOKEN_QUALIFIER.search(before) is not None


def _is_assigned_secret(kind: FindingKind, content: bytes, match: re.Match[bytes]) -> bool:
    value = match["quoted"] or match["bare"]
    if _PLACEHOLDER.search(value) or value.startswith((b"/", b"-")):
        return False
    if match["quoted"] is not None:
        # Only one word can be a secret; a sentence in quotes is a message about it.
        return b" " not in value and (kind == "password" or _has_digit_and_letter(value))
    if _is_environment_line(content, match):
        return True
    is_name = _CODE.fullmatch(value) is not None and sum(value.count(digit) for digit in _DIGITS) < 3
    return _has_digit_and_letter(value) and (kind == "password" or not is_name)


def _is_environment_line(content: bytes, match: re.Match[bytes]) -> bool:
    """`DB_PASSWORD=…` as in a shell or an .env file: capitals, and no space around the sign."""
    name_and_sign = content[match.start() : match.start("bare")]
    return (
        name_and_sign.endswith(b"=")
        and name_and_sign[:-1].replace(b"_", b"A").isalnum()
        and name_and_sign.isupper()
    )


def _url_passwords(content: bytes) -> _Found:
    for position in _occurrences(content, b"://"):
        match = _URL_PASSWORD.match(content, position)
        if match and not _PLACEHOLDER.search(match["value"]):
            yield "password", position


def _emails(content: bytes) -> _Found:
    for position in _occurrences(content, b"@"):
        match = _DOMAIN.match(content, position)
        if match is None or not _LOCAL_PART_END.match(content, max(0, position - 1)):
            continue
        domain = match["domain"].lower()
        top = domain.rpartition(b".")[2]
        if top in _FILE_ENDINGS or not top.isalpha() or len(top) < 2 or _EXAMPLE_DOMAIN.fullmatch(domain):
            continue
        if (
            match["after"] and content[max(0, position - 3) : position] == b"git"
        ):  # `git@host:path` names a repository
            continue
        yield "email", position


def _has_digit_and_letter(value: bytes) -> bool:
    return any(48 <= byte < 58 for byte in value) and any(byte >= 65 for byte in value)


def _is_masked(token: bytes) -> bool:
    """Whether most of a token's end is one character, as in `sk-xxxxxxxxxxxxxxxxxxxx`."""
    tail = token[-16:]
    return max(tail.count(byte) for byte in set(tail)) > len(tail) // 2
