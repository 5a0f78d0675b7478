"""Goal: text becomes the same terms however it is typed, at write and at query time, in any language.

Method: laws over arbitrary Unicode (hypothesis), and the words that peers have lost as examples.
"""

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from graphsvc.domain.words import (
    STEM_MARK,
    TERM_UTF16_UNITS_MAX,
    Kind,
    analyse,
    index_terms,
    query_terms,
)

ANY_TEXT = st.text(max_size=200)
WRITTEN_TEXT = st.text(
    alphabet=st.one_of(
        st.sampled_from(" \t-_./'’+#,:0123456789"),
        st.characters(categories=("L", "M", "N", "So"), exclude_characters="\u0345"),
        st.sampled_from("aeioubcdtsnÉéñøßİ設備三楼데이터ไทยデｶﾞ🔑"),
    ),
    max_size=80,
)
MANY_TERMS = 10_000


def asked(query: str, limit: int = MANY_TERMS) -> set[str]:
    return {term.term for term in query_terms(query, limit)}


def meets(query: str, text: str) -> bool:
    return bool(asked(query) & set(index_terms(text)))


@given(st.one_of(ANY_TEXT, WRITTEN_TEXT))
@example("x" * 3_000)
@example("𝒳𐐷" * 300)
@example("\ud800 a\x00b")
def test_terms_are_distinct_and_fit_the_index(text: str) -> None:
    terms = index_terms(text)
    assert len(terms) == len(set(terms))
    for term in terms:
        assert term
        assert len(term.split()) == 1
        assert len(term.encode("utf-16-le")) <= 2 * TERM_UTF16_UNITS_MAX


@given(st.one_of(ANY_TEXT, WRITTEN_TEXT))
def test_a_text_asked_for_as_a_query_meets_itself(text: str) -> None:
    stored = index_terms(text)
    assert asked(text) <= set(stored)
    assert bool(asked(text)) == bool(stored)
    assert index_terms(text) == list(dict.fromkeys(term.text for term in analyse(text)))


@given(WRITTEN_TEXT)
def test_composed_and_decomposed_text_are_one(text: str) -> None:
    expected = index_terms(text)
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        assert index_terms(unicodedata.normalize(form, text)) == expected


@given(WRITTEN_TEXT, WRITTEN_TEXT)
def test_each_word_of_a_text_is_found_on_its_own(left: str, right: str) -> None:
    stored = set(index_terms(f"{left} {right}"))
    assert asked(left) <= stored
    assert asked(right) <= stored


@given(WRITTEN_TEXT)
def test_spans_are_places_in_the_text_as_typed(text: str) -> None:
    for term in analyse(text):
        assert 0 <= term.start < term.end <= len(text)
    folded = unicodedata.normalize("NFKC", text)  # otherwise one code point may stand for several terms
    for term in analyse(folded):
        assert term.text in index_terms(folded[term.start : term.end])


@given(st.text(max_size=400), st.integers(min_value=1, max_value=80))
def test_a_query_never_asks_for_more_than_the_limit(text: str, limit: int) -> None:
    terms = query_terms(text, limit)
    assert len(terms) <= limit
    assert len({term.term for term in terms}) == len(terms)
    assert terms == query_terms(text, limit)
    assert all(0 < term.prior <= 1 for term in terms)


@given(WRITTEN_TEXT)
def test_the_forms_of_one_word_share_its_information(text: str) -> None:
    shares: dict[int, float] = {}
    for term in query_terms(text, MANY_TERMS):
        shares[term.concept] = shares.get(term.concept, 0.0) + term.prior
    assert all(share <= 1.0 + 1e-9 for share in shares.values())


def test_a_long_query_is_shortened_to_its_telling_words() -> None:
    short = ("day", "way", "say", "get", "got", "put", "let", "see", "saw", "yes", "bit", "lot", "end", "use")
    padding = " ".join(f"so it was then and there as we had {word}" for word in short * 5)
    terms = query_terms(f"{padding} Perseid meteor shower {padding}"[:4_096], 24)
    assert {"perseid", "meteor", "shower"} <= {term.term for term in terms}


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("tier1-test", "tier1 test covers unicode"),
        ("tier1 test", "tier1-test covers unicode"),
        ("pre-edit", "the pre edit hook"),
        ("email", "sent by e-mail"),
        ("e-mail", "sent by email"),
        ("PEP 8", "pep-0008, also known as pep8"),
        ("pep8", "PEP 8 is a style guide"),
        ("graph store", "GraphStore.read"),
        ("C++", "written in C++, not in C"),
        ("c#", "a C# service"),
        ("3.14", "Python 3.14 is out"),
        ("1000", "1,000 boxes"),
        ("Brien", "Mr O’Brien called"),
        ("O'Brien", "Mr OBrien called"),
        ("John", "John's dog"),
        ("running", "she runs daily"),
        ("bought", "he buys bread"),
        ("child", "her children"),
        ("cafe", "Café Noir"),
        ("Cafe\u0301", "CAFÉ NOIR"),
        ("ＡＢＣ", "abc"),
        ("STRASSE", "die Straße"),
        ("設備", "備用設備在三楼"),
        ("三楼", "備用設備在三楼"),
        ("楼", "備用設備在三楼"),
        ("データ", "ﾃﾞｰﾀを保存"),
        ("한국", "한국어를 배우다"),
        ("ไทย", "ภาษาไทยง่าย"),
        ("🔑", "Aster 🔑"),
        ("the who", "The Who played"),
        ("co\u00adoperate", "cooperate"),
    ],
)
def test_what_means_the_same_meets(query: str, text: str) -> None:
    assert meets(query, text)


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("C", "written in C++"),
        ("C++", "written in C"),
        ("101", "Room 102"),
        ("314", "3.14"),
        ("14", "3.14"),
        ("11", "page 1-1"),
        ("what did she do with it", "a blue car"),
        ("*", "anything"),
        ('" OR', "a quote"),
    ],
)
def test_what_means_another_thing_does_not_meet(query: str, text: str) -> None:
    assert not meets(query, text)


def test_hyphenated_and_plain_words_ask_for_the_same_words() -> None:
    hyphenated = {
        term.term for term in query_terms("tier1-test AND unicode", 64) if term.kind is not Kind.JOINED
    }
    assert hyphenated == asked("tier1 test and unicode")


def test_the_exact_form_adds_to_its_stem() -> None:
    prior = {term.term: term.prior for term in query_terms("hiking", 64)}
    assert prior == {"hiking": 0.25, f"{STEM_MARK}hike": 0.75}


def test_function_words_are_asked_for_only_when_there_is_nothing_else() -> None:
    assert asked("what did they do about the budget") == {"budget", f"{STEM_MARK}budget"}
    assert asked("what is it") == {"what", "is", "it"}
