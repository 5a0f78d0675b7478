"""Goal: every format is read to the last good line; a bad line is a problem and spoils no other.

Method: files with one fault each between good lines; laws of cutting long texts by hypothesis. The importer
for PEPs has its own module.
"""

import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphsvc import limits
from graphsvc.importers import IMPORTERS, Problem, Record
from graphsvc.importers.long_text import split_text
from tests.seeding.record_rules import check_record, problems_by_line, records_of

GOOD = b'{"record":"entity","name":"Acme Print","observations":["Open on Mondays"]}'

BAD_LINES = {
    "duplicate key": (b'{"record":"entity","name":"a","name":"b"}', "same key twice"),
    "duplicate key inside": (b'{"record":"relation","properties":{"x":1,"x":2}}', "same key twice"),
    "NaN": (b'{"record":"relation","properties":{"x":NaN}}', "NaN is not a JSON number"),
    "infinity": (b'{"record":"relation","properties":{"x":-Infinity}}', "-Infinity is not"),
    "beyond a double": (b'{"record":"relation","properties":{"x":1e999}}', "too large"),
    "endless integer": (b'{"record":"relation","properties":{"x":' + b"9" * 5_000 + b"}}", "too many digits"),
    "not an object": (b'["record","entity"]', "not a JSON object"),
    "a string": (b'"entity"', "not a JSON object"),
    "null": (b"null", "not a JSON object"),
    "no kind": (b'{"name":"a"}', '"record" is missing'),
    "unknown kind": (b'{"record":"entitty","name":"a"}', '"record" must be one of'),
    "kind of another type": (b'{"record":["entity"]}', '"record" must be one of'),
    "not JSON": (b'{"record":"entity",}', "not valid JSON at column 20"),
    "two objects": (GOOD + GOOD, "not valid JSON at column"),
    "cut off": (GOOD[:-5], "not valid JSON at column"),
    "control character": (b'{"record":"entity","name":"a\x01b"}', "not valid JSON at column"),
    "not UTF-8": (b'{"record":"entity","name":"\xff\xfe"}', "byte 28 of the line is not UTF-8"),
    "UTF-16": ('{"record":"entity"}'.encode("utf-16-le")[:-1], "not valid JSON"),
    "half a surrogate pair": (rb'{"record":"entity","name":"\ud83d"}', "surrogate"),
    "half a pair as a key": (rb'{"record":"entity","\udc00":1}', "surrogate"),
    "deep nesting": (b'{"record":' + b"[" * 200_000, "nested too deeply"),
    "10 MB": (b'{"record":"entity","name":"' + b"a" * 10_000_000 + b'"}', "longer than 8388608 bytes"),
}


def write(path: Path, *lines: bytes, end: bytes = b"\n") -> Path:
    path.write_bytes(b"".join(line + end for line in lines))
    return path


def dump(*objects: Any) -> list[bytes]:
    return [json.dumps(value, ensure_ascii=False).encode() for value in objects]


@pytest.mark.parametrize(("line", "reason"), BAD_LINES.values(), ids=BAD_LINES.keys())
def test_a_bad_line_is_a_problem_and_the_others_are_read(tmp_path: Path, line: bytes, reason: str) -> None:
    path = write(tmp_path / "x.jsonl", GOOD, line, GOOD)

    first, bad, last = IMPORTERS["jsonl"](path)

    assert (first.line_number, bad.line_number, last.line_number) == (1, 2, 3)
    assert first.content == last.content == json.loads(GOOD)
    assert isinstance(bad.content, Problem)
    assert reason in bad.content.reason
    assert len(bad.content.reason) < 200


def test_a_line_of_exactly_the_limit_is_read_and_one_byte_more_is_not(tmp_path: Path) -> None:
    frame = len(b'{"record":"entity","name":""}')
    fits, longer = (
        b'{"record":"entity","name":"' + b"a" * (limits.LOAD_LINE_BYTES_MAX - frame + more) + b'"}'
        for more in (0, 1)
    )
    for end in (b"\n", b"\r\n"):
        path = write(tmp_path / "x.jsonl", fits, longer, GOOD, end=end)
        assert list(problems_by_line(IMPORTERS["jsonl"](path))) == [2]


def test_an_endless_line_does_not_fill_the_memory(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    with path.open("wb") as file:
        for _ in range(64):
            file.write(b"a" * 1_048_576)
        file.write(b"\n" + GOOD)
    tracemalloc.start()
    try:
        found = list(IMPORTERS["jsonl"](path))
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert [item.line_number for item in found] == [1, 2]
    assert peak_bytes < 3 * limits.LOAD_LINE_BYTES_MAX


def test_blank_lines_byte_order_mark_and_foreign_line_ends_are_no_problem(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + GOOD + b"\r\n\r\n  \t\n" + GOOD + b"\n\n" + GOOD)
    assert [(item.line_number, item.content) for item in IMPORTERS["jsonl"](path)] == [
        (line, json.loads(GOOD)) for line in (1, 4, 6)
    ]


@pytest.mark.parametrize("name", IMPORTERS)
def test_an_empty_file_is_read_and_a_missing_one_is_an_error(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / "empty")
    assert list(IMPORTERS[name](path)) == []
    with pytest.raises(OSError, match="No such file"):
        list(IMPORTERS[name](tmp_path / "missing"))


@pytest.mark.parametrize("name", IMPORTERS)
@given(data=st.lists(st.one_of(st.binary(max_size=40), st.sampled_from([GOOD, b"from,type,to", b"a,b,c"]))))
def test_any_bytes_are_read_without_an_exception(
    tmp_path_factory: pytest.TempPathFactory, name: str, data: list[bytes]
) -> None:
    path = write(tmp_path_factory.mktemp("bytes") / "x", *data)
    for item in IMPORTERS[name](path):
        assert 1 <= item.line_number <= path.read_bytes().count(b"\n") + 1


def test_mcp_memory_becomes_entities_then_relations(tmp_path: Path) -> None:
    lines = dump(
        {"type": "relation", "from": "Alder", "to": "Birch", "relationType": "knows"},
        {"type": "entity", "name": "Alder", "entityType": "person", "observations": ["tall", "old"]},
        {"type": "entity", "name": "Birch", "entityType": "", "observations": None},
        {"type": "entity", "name": "Cedar"},
    )
    found = list(IMPORTERS["mcp-memory"](write(tmp_path / "memory.json", *lines)))

    assert [item.line_number for item in found] == [2, 3, 4, 1]
    records = records_of(found)
    assert records == [
        {"record": "entity", "name": "Alder", "kind": "person", "observations": ["tall", "old"]},
        {"record": "entity", "name": "Birch", "observations": []},
        {"record": "entity", "name": "Cedar", "observations": []},
        {"record": "relation", "from": "Alder", "type": "knows", "to": "Birch"},
    ]
    for record in records:
        check_record(record)


def test_mcp_memory_bad_lines_are_told_once_without_their_text(tmp_path: Path) -> None:
    lines = dump(
        {"type": "entity", "name": 7, "observations": []},
        {"type": "entity", "name": "Alder", "observations": ["tall", 3]},
        {"type": "entity", "observations": ["secret"]},
        {"type": "relation", "from": "Alder", "to": "Birch"},
        {"type": "secret", "name": "Alder"},
        {"type": {"entity": "secret"}},
        {"name": "Alder"},
        {"type": "entity", "name": "Alder"},
    )
    found = list(IMPORTERS["mcp-memory"](write(tmp_path / "memory.json", b"{", *lines)))

    problems = problems_by_line(found)
    assert list(problems) == [1, 2, 3, 4, 5, 6, 7, 8]
    assert problems[2] == "$.name Input should be a valid string"
    assert problems[3] == "$.observations[1] Input should be a valid string"
    assert problems[4] == "$.name is required"
    assert problems[5] == "$.relationType is required"
    assert problems[6] == problems[7] == problems[8] == 'the field "type" must be entity or relation'
    assert not any("secret" in reason for reason in problems.values())
    assert [item.line_number for item in found if not isinstance(item.content, Problem)] == [9]


def test_mcp_memory_entity_with_more_than_one_record_can_hold(tmp_path: Path) -> None:
    long_text = "word " * 2_000
    texts = [f"fact {number}" for number in range(2_499)] + [long_text]
    path = write(tmp_path / "m", *dump({"type": "entity", "name": "Alder", "observations": texts}))

    records = records_of(IMPORTERS["mcp-memory"](path))

    for record in records:
        check_record(record)
    assert [record["record"] for record in records] == ["entity", "observations", "observations"]
    stored = records[0]["observations"] + records[1]["contents"] + records[2]["contents"]
    assert stored[:2_499] == texts[:2_499]
    assert " ".join(stored[2_499:]) == long_text.strip()


def test_csv_becomes_entities_once_then_relations(tmp_path: Path) -> None:
    path = write(
        tmp_path / "pairs.csv",
        b"To, Type ,FROM,from_kind,since",
        b'Paul Pack,supplies,"Print, Acme",organization,2021',
        b"",
        'paul  pack,"knows ""well""",Kartonagen Möller,,'.encode(),
        b"print, acme,organization",
        b"print,is,print,artifact,",
        b"X,is,print,artifact,",
    )
    found = list(IMPORTERS["csv"](path))

    assert problems_by_line(found) == {5: "3 fields where the header has 5"}
    records = records_of(item for item in found if not isinstance(item.content, Problem))
    entities = [(r["name"], r.get("kind")) for r in records if r["record"] == "entity"]
    assert entities == [
        ("Print, Acme", "organization"),
        ("Paul Pack", None),
        ("Kartonagen Möller", None),
        ("print", "artifact"),
        ("X", None),
    ]
    relations = [r for r in records if r["record"] == "relation"]
    assert relations[0] == {
        "record": "relation",
        "from": "Print, Acme",
        "type": "supplies",
        "to": "Paul Pack",
        "properties": {"since": "2021"},
    }
    assert relations[1] == {
        "record": "relation",
        "from": "Kartonagen Möller",
        "type": 'knows "well"',
        "to": "paul  pack",
    }
    for record in records:
        check_record(record)


def test_csv_kind_that_comes_later_fills_the_empty_one(tmp_path: Path) -> None:
    path = write(tmp_path / "p.csv", b"from,from_kind,type,to", b"A,,is,B", b"A,person,has,B", b"a,,had,B")
    records = records_of(IMPORTERS["csv"](path))
    assert [r for r in records if r["record"] == "entity"] == [
        {"record": "entity", "name": "A"},
        {"record": "entity", "name": "B"},
        {"record": "entity", "name": "A", "kind": "person"},
    ]


@pytest.mark.parametrize(
    ("header", "reason"),
    [
        (b"from,to", "the header lacks type"),
        (b"source,target,kind", "the header lacks from, type, to"),
        (b"from,type,to,to", "the header has an empty name or the same name twice"),
        (b"from,type,to,", "the header has an empty name or the same name twice"),
        (b'from,type,"to', "not a CSV row"),
        (b"from,type,to,\xff", "byte 14 of the line is not UTF-8"),
    ],
)
def test_csv_without_a_usable_header_is_one_problem(tmp_path: Path, header: bytes, reason: str) -> None:
    problems = problems_by_line(IMPORTERS["csv"](write(tmp_path / "p.csv", header, b"A,is,B")))
    assert list(problems) == [1]
    assert reason in problems[1]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (b'A,is,"B', "not a CSV row"),
        (b'A,is,"B"C', "not a CSV row"),
        (b"A,is", "2 fields where the header has 3"),
        (b"A,is,B,C", "4 fields where the header has 3"),
        (b"A,, ", "no value for type, to"),
        (b"A,is,\xe9", "byte 6 of the line is not UTF-8"),
        (b"A,is," + b"B" * 200_000, "not a CSV row"),
    ],
)
def test_csv_bad_row_costs_itself_only(tmp_path: Path, row: bytes, reason: str) -> None:
    found = list(IMPORTERS["csv"](write(tmp_path / "p.csv", b"from,type,to", b"A,is,B", row, b"C,is,D")))
    problems = problems_by_line(found)
    assert list(problems) == [3]
    assert reason in problems[3]
    relations = [item for item in found if isinstance(item.content, dict) and "from" in item.content]
    assert [item.line_number for item in relations] == [2, 4]


TEXTS = st.text(st.sampled_from("ab. !?。 \n\té" + "e\u0301" + "👩\u200d🔧" + "文"), max_size=200)


@given(text=TEXTS, chars_max=st.integers(1, 40))
def test_split_text_loses_only_white_space_and_keeps_the_limit(text: str, chars_max: int) -> None:
    pieces = split_text(text, chars_max)
    assert all(1 <= len(piece) <= chars_max and piece.strip() for piece in pieces)
    assert "".join("".join(pieces).split()) == "".join(text.split())


@given(text=TEXTS)
def test_a_text_that_fits_is_one_piece_and_a_blank_one_none(text: str) -> None:
    assert split_text(text, 200) == ([text] if text.strip() else [])


def test_split_text_prefers_sentences_then_words_then_whole_characters() -> None:
    assert split_text("One two. Three four five.", 16) == ["One two.", "Three four five."]
    assert split_text("one two three four", 10) == ["one two", "three four"]
    assert split_text("文章。次の文章です。", 5) == ["文章。", "次の文章で", "す。"]
    assert split_text("a" * 9 + "👩\u200d🔧" + "b", 10) == ["a" * 9, "👩\u200d🔧b"]
    assert split_text("e" + "\u0301" * 9, 4) == ["e\u0301\u0301\u0301", "\u0301" * 4, "\u0301" * 2]


def test_every_importer_yields_records_of_known_kinds_only(tmp_path: Path) -> None:
    memory = dump(
        {"type": "entity", "name": "A"}, {"type": "relation", "from": "A", "to": "A", "relationType": "is"}
    )
    records: list[Record] = [
        *records_of(IMPORTERS["jsonl"](write(tmp_path / "a", GOOD))),
        *records_of(IMPORTERS["mcp-memory"](write(tmp_path / "b", *memory))),
        *records_of(IMPORTERS["csv"](write(tmp_path / "c", b"from,type,to", b"A,is,B"))),
    ]
    for record in records:
        check_record(record)
