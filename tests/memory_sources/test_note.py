"""What one memory says: its fact, its marks, its references.

Method: small Markdown texts, one rule each; hypothesis for the promises that hold for every text.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphsvc import limits
from graphsvc.memory_sources.note import Note, cut_fact, read_note

PROSE = "Acme Print offers same-day turnaround."

FACTS: dict[str, tuple[str, str | None]] = {
    "one paragraph": (PROSE, PROSE),
    "lines of a paragraph become one": ("Acme Print\noffers  same-day\\\nturnaround.\n\nMore.", PROSE),
    "front matter": (f"---\ntitle: x\nnote: words here\n---\n{PROSE}", PROSE),
    "front matter that is no YAML": (f"---\nglobs: **/*.ts, *.js\n---\n\n{PROSE}", PROSE),
    "front matter that is never closed": (f"---\n\n{PROSE}", PROSE),
    "headings": (f"# Suppliers\n\n## Print\n\nAbroad\n------\n\n{PROSE}", PROSE),
    "table": (f"| a | b |\n| - | - |\n| some | words |\n\n{PROSE}", PROSE),
    "list of links": (
        f"- [Acme](acme.md)\n- [Paul](paul.md) packs\n* <https://acme.example>\n\n{PROSE}",
        PROSE,
    ),
    "list of check boxes": (f"- [ ] order boxes\n- [x] ask Paul\n\n{PROSE}", PROSE),
    "numbered list of links": (f"1. [Acme](acme.md)\n2. ![logo](logo.png)\n\n{PROSE}", PROSE),
    "what is inside of a check box item": (f"- [ ] order\n\n  with care\n\n  - and soon\n\n{PROSE}", PROSE),
    "other lists are prose": (f"- {PROSE}\n- More.", PROSE),
    "item after items that are links": (f"- [Acme](acme.md)\n- {PROSE}", PROSE),
    "quotes are prose": (f"> {PROSE}", PROSE),
    "badges": (f"[![build](b.svg)](ci) ![x](y.png)\n\n{PROSE}", PROSE),
    "link alone": (f"[Acme](acme.md)\n\n{PROSE}", PROSE),
    "link in prose stays": ("[Acme](acme.md) prints.", "[Acme](acme.md) prints."),
    "code in prose stays": ("`acme` prints.", "`acme` prints."),
    "rule": (f"***\n\n{PROSE}", PROSE),
    "HTML": (f"<div>\nwords\n</div>\n\n{PROSE}", PROSE),
    "indented code is passed over": (f"    some code\n\n{PROSE}", PROSE),
    "a fence ends the search": (f"# Suppliers\n\n```\ncode\n```\n\n{PROSE}", "Suppliers"),
    "a fence in a list does too": (f"# Suppliers\n\n- [ ] do\n  ~~~\n  code\n  ~~~\n\n{PROSE}", "Suppliers"),
    "a fence and no heading": ("```\ncode\n```\n", None),
    "first heading of level 1": ("## Print\n\n# Suppliers `here`\n\n# Others\n", "Suppliers `here`"),
    "underlined heading": ("Our\nSuppliers\n=========\n", "Our Suppliers"),
    "empty heading": ("#\n\n# Suppliers\n", "Suppliers"),
    "heading of level 2 only": ("## Print\n", None),
    "nothing": ("", None),
    "white space": (" \n\t\n", None),
    "CRLF": (f"---\r\na: b\r\n---\r\n# T\r\n\r\n{PROSE}\r\nMore.\r\n", f"{PROSE} More."),
    "CR": (f"# T\r\r{PROSE}\r\rMore.", PROSE),
    "other scripts": ("田中製作所の納品は偶数の平日です。", "田中製作所の納品は偶数の平日です。"),
}


@pytest.mark.parametrize(("text", "fact"), FACTS.values(), ids=FACTS)
def test_the_fact_is_the_first_prose(text: str, fact: str | None) -> None:
    assert read_note(text).fact == fact


@pytest.mark.parametrize(
    ("text", "discarded"),
    [
        ("---\ndiscard: true\n---\nx", True),
        ("---\nstatus: discarded\n---\nx", True),
        ("---\nstatus: Discarded\nglobs: **/*\n---\nx", True),
        ("---\nglobs: *.md\ndiscard: yes\n---\nx", True),
        ("x\n\n<!-- discard -->\n", True),
        ("x\n<!--discard-->\ny", True),
        ("- item\n\n  <!-- discard -->\n", True),
        ("---\ndiscard: false\n---\nx", False),
        ("---\ndiscard: maybe\nstatus: kept\n---\nx", False),
        ("discard: true\n\nstatus: discarded", False),
        ("x <!-- discard --> y", False),
        ("<!-- do not discard -->", False),
        ("```\n<!-- discard -->\n```\n", False),
        ("    <!-- discard -->\n", False),
        ("this is noise, please discard and ignore it", False),
        ("---\nnested:\n  discard: true\n---\nx", False),
    ],
)
def test_only_an_explicit_mark_discards(text: str, discarded: bool) -> None:
    assert read_note(text).discarded is discarded


@pytest.mark.parametrize(
    ("front_matter", "references"),
    [
        ("references: ent_1", ("ent_1",)),
        ("references: [ent_1, 'Acme Print', ent_1, ' docs/a.md ']", ("ent_1", "Acme Print", "docs/a.md")),
        ("references:\n- ent_1\n- crm:17\nglobs: **/*", ("ent_1", "crm:17")),
        ("references: [17, true, null, {a: b}, '', ent_1]", ("ent_1",)),
        ("references: {a: b}", ()),
        ("references: &a [x, *a]", ("&a [x, *a]",)),
        ("other: ent_1", ()),
    ],
)
def test_references_are_texts_of_the_front_matter(front_matter: str, references: tuple[str, ...]) -> None:
    assert read_note(f"---\n{front_matter}\n---\nx").references == references


@pytest.mark.parametrize(
    "front_matter",
    [
        "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]",
        "a: &a {k: v}\nb: {<<: [*a, *a]}",
        "date: 2026-99-99",
        "? [complex, key]\n: value",
        "!!python/object/apply:os.system ['echo no']",
        "- just\n- a list",
        "[" * 5_000,
        "a: " + "{" * 2_000,
        "{" * 250,
        "- " * 5_000,
        "? " * 5_000,
        "a: " * 5_000,
        "\t: tab",
        "x" * 70_000,
    ],
)
def test_hostile_front_matter_is_only_not_understood(front_matter: str) -> None:
    assert read_note(f"---\n{front_matter}\n---\n{PROSE}") == Note(PROSE, False, ())


def test_a_fact_is_cut_at_a_sentence_past_forty_percent() -> None:
    early = "a" * 158 + ". " + "word " * 100
    assert cut_fact(early) == early[:400].rstrip(), "a sentence end at 159 is too early: a word decides"
    late = "a" * 160 + ". " + "word " * 100
    assert cut_fact(late) == "a" * 160 + "."
    several = "One. " * 70 + "x" * 200
    assert cut_fact(several) == several[:349]


def test_a_fact_is_cut_at_a_word_else_anywhere() -> None:
    assert cut_fact("word " * 100) == ("word " * 80).rstrip()
    assert cut_fact("x" * 390 + " yyyyyyyyyyyyyyyyyyyy") == "x" * 390
    assert cut_fact("x" * 500) == "x" * 400
    assert cut_fact("x" * 400) == "x" * 400
    assert cut_fact("x" * 399 + "." + " y" * 100) == "x" * 399 + "."
    assert cut_fact("v1.2" * 150) == ("v1.2" * 150)[:400], "a point inside a word ends no sentence"
    assert cut_fact("設備" * 100 + "。" + "在庫" * 150) == "設備" * 100 + "。"


@given(st.text(max_size=1_000))
def test_a_cut_is_a_beginning_of_the_right_size(text: str) -> None:
    text = " ".join(text.split())
    cut = cut_fact(text)
    assert text.startswith(cut)
    assert len(cut) <= limits.MEMORY_FACT_CHARS_MAX
    assert cut == cut.rstrip()
    if len(text) <= limits.MEMORY_FACT_CHARS_MAX:
        assert cut == text
    elif text:
        assert cut


MARKDOWN = [
    "# T\n",
    "\n",
    "```\n",
    "- [ ] a\n",
    "words\n",
    "> q\n",
    "| a |\n| - |\n",
    "  ",
    "---\n",
    "[x](y)\n",
]
MARKS = ["<!-- discard -->\n", "\r", "\u2028", "é", "references: [a]\n"]


@given(st.lists(st.sampled_from(MARKDOWN + MARKS) | st.text(max_size=5)))
def test_every_text_has_a_reading(parts: list[str]) -> None:
    note = read_note("".join(parts))
    assert note == read_note("".join(parts))
    if note.fact is not None:
        assert note.fact == " ".join(note.fact.split())
        assert 1 <= len(note.fact) <= limits.MEMORY_FACT_CHARS_MAX
