"""The published schema and the guide page say what the code does.

Method: the schema file is compared with the one made from the limits; every JSON block of the guide is read
and checked; the guide's table of limits must name the numbers in force.
"""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from graphsvc import limits
from graphsvc.domain.source_ref import EXACT_INTEGER_MAX, parse_source_ref
from graphsvc.domain.source_ref_schema import EXAMPLE, published_text

DOCS = Path(__file__).parents[2] / "docs"
SCHEMA_FILE = DOCS / "schemas" / "source_ref-v1.schema.json"
GUIDE = (DOCS / "source-ref.md").read_text(encoding="utf-8")
BLOCKS: list[dict[str, Any]] = [
    json.loads(text) for text in re.findall(r"```json\n(.*?)```", GUIDE, re.DOTALL)
]


def test_the_published_schema_is_current() -> None:
    assert SCHEMA_FILE.read_text(encoding="utf-8") == published_text(), (
        "write it again with: python docs/generate.py"
    )


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_every_example_of_the_guide_is_valid(block: dict[str, Any]) -> None:
    value = block.get("source_ref", block)
    assert parse_source_ref(value).value == value
    Draft202012Validator(json.loads(published_text())).validate(value)


def test_the_guide_opens_with_the_example_of_the_schema() -> None:
    assert len(BLOCKS) == 3
    assert BLOCKS[0] == EXAMPLE


def test_the_guide_names_the_limits_in_force() -> None:
    table = GUIDE.split("## Safe limits")[1].split("## What is stored")[0].replace(",", "")
    for limit in (
        limits.SOURCE_REF_BYTES_MAX,
        limits.SOURCE_REF_DEPTH_MAX,
        limits.SOURCE_REF_KEYS_PER_OBJECT_MAX,
        limits.SOURCE_REF_QUOTE_EXACT_BYTES_MAX,
        limits.SOURCE_REF_QUOTE_AFFIX_BYTES_MAX,
        EXACT_INTEGER_MAX,
    ):
        assert re.search(rf"\b{limit}\b", table), limit
