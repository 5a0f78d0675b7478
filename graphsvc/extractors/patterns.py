"""The extractor that comes with the service: a few plain English sentence patterns, no model, same text same claims.

A sentence gives a claim when it is `<Name> <verb> <something>.` with a verb of the table below and a subject that is
written as a name (every word capitalised, but for the little ones in between). What it cannot read it leaves alone.
"""

from collections.abc import Iterator
from typing import Final

import regex

from graphsvc import limits
from graphsvc.domain.function_words import FUNCTION_WORDS
from graphsvc.domain.names import check_name
from graphsvc.extractors.base import ExtractedClaim

_VERBS: Final = (
    *("is located in", "is based in", "is part of", "is owned by", "is led by", "is an", "is a", "works at"),
    *(
        "works for",
        "works with",
        "belongs to",
        "depends on",
        "lives in",
        "moved to",
        "reports to",
        "supplies",
    ),
    *("owns", "leads", "maintains", "founded", "acquired", "uses", "replaces", "wrote", "authored", "makes"),
)
_WORD: Final = r"[\p{Lu}\p{N}][\p{L}\p{N}\p{M}&'’+#\-]*"
_NAME: Final = rf"{_WORD}(?:\s(?:(?:of|the|and|de|van|von)\s)?{_WORD}){{0,7}}"
_SENTENCE: Final = regex.compile(
    rf"(?<![\p{{L}}\p{{N}}])(?P<subject>{_NAME})\s(?P<verb>{'|'.join(_VERBS)})\s(?P<object>[^.!?;\n]{{1,200}})",
    regex.VERSION1,
)
_CONFIDENCE: Final = 0.6
_TIMEOUT_S: Final = 1.0


def extract(text: str) -> Iterator[ExtractedClaim]:
    """The claims of a text, by place."""
    for match in _SENTENCE.finditer(text, timeout=_TIMEOUT_S):
        object_ = match["object"].strip(" ,:\t")[: limits.CLAIM_OBJECT_CHARS_MAX]
        try:
            subject = check_name(match["subject"])
        except ValueError:
            continue
        if object_ and subject.casefold() not in FUNCTION_WORDS:  # "It is a …" names nobody
            yield ExtractedClaim(subject, match["verb"], object_, _CONFIDENCE, match.start(), match.end())
