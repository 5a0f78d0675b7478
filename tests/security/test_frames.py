"""Nothing stored can end a frame: whatever is in it, the output parses back to exactly what was put in.

Goal: spec 03, Frame. Method: hypothesis builds contents out of random text and the frame's own markers; blocks are
parsed back by a reader that knows the delimiters alone. Then the corpus through the real service, as JSON and as block.
"""

import json
import re
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from graphsvc.domain.framing import FRAMING, block_body, json_body
from tests.conftest import World
from tests.harness.tally import TALLY
from tests.security.corpus_files import CORPUS

MARKERS = (
    "<record",
    "</record",
    '<record id="x">',
    '</record id="x">\n',
    ">",
    "<",
    "&",
    '"',
    "\\u003c",
    "framing",
    "\n",
    "]}",
    "What follows",
)
_RECORD = re.compile(r'<record id="([^"<>]*)">\n(.*?)\n</record id="\1">\n', re.DOTALL)

contents = st.lists(st.one_of(st.sampled_from(MARKERS), st.text(max_size=12))).map("".join)
values = st.recursive(
    contents, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(contents, inner, max_size=3)
)
ids = st.from_regex(r"[a-z]{3,4}_[0-9a-f]{8}", fullmatch=True)


def parse_block(text: str) -> tuple[str, list[tuple[str, Any]]]:
    """The opening line and the records, read by delimiters alone; anything between records is an error."""
    opening, _, rest = text.partition("\n")
    found = []
    place = 0
    for match in _RECORD.finditer(rest):
        assert match.start() == place, f"something stands outside the frames: {rest[place : match.start()]!r}"
        assert "<" not in match.group(2)
        assert ">" not in match.group(2)
        found.append((match.group(1), json.loads(match.group(2))))
        place = match.end()
    assert place == len(rest), f"something stands behind the frames: {rest[place:]!r}"
    return opening, found


def clean(value: Any) -> bool:
    """Whether a value can be written as UTF-8 at all."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


@settings(max_examples=500)
@given(st.lists(st.tuples(ids, values.filter(clean)), max_size=5))
def test_a_block_parses_back_to_what_was_put_in(records: list[tuple[str, Any]]) -> None:
    TALLY["frames parsed back"] += 1
    opening, found = parse_block(block_body(records))
    assert opening.startswith("graphsvc memory, framing version 1.")
    assert found == records


@settings(max_examples=500)
@given(values.filter(clean))
def test_a_json_body_has_its_frame_first_and_its_content_whole(value: Any) -> None:
    TALLY["frames parsed back"] += 1
    body = json_body({"evidence": value})
    assert body.startswith('{"framing":{"version":1,"notice":')
    assert json.loads(body) == {"framing": dict(FRAMING), "evidence": value}


def test_hostile_evidence_stays_inside_its_frames(world: World) -> None:
    agent = world.agent(a="read,write")
    texts = [
        f"marzipan {hostile.text}"
        for hostile in CORPUS
        if hostile.file in {"prompt_and_frame", "json_and_headers"} and "\0" not in hostile.text
    ]
    entities = [{"name": f"Thing {i} {text}"[:200], "observations": [text]} for i, text in enumerate(texts)]
    agent.call("create_entities", entities=entities)
    for limit in (3_000, 20_000, 200_000):
        request = {
            "query": "marzipan",
            "render": "block",
            "pointers": True,
            "budget": {"unit": "chars", "limit": limit},
        }
        response = agent.post("search_nodes", request)
        assert response.headers["content-type"] == "text/plain; charset=utf-8"
        opening, records = parse_block(response.text)
        assert len(response.text) <= limit
        assert records[0][0] == "pointers"
        assert records[-1][0] == "accounting"
        assert records[-1][1]["budget"]["used"] == len(response.text)
        shown = [
            o["text"] for _, record in records[1:-1] for o in record["observations"] if o["window"] is None
        ]
        assert set(shown) <= set(texts)
        TALLY["frames parsed back"] += len(records)
        as_json = agent.post("search_nodes", {**request, "render": "json"}).json()
        assert next(iter(as_json)) == "framing"
        assert opening.endswith(as_json["framing"]["notice"])
