"""The graph in the real Neo4j Browser: connected, styled, every ready query pasted and run, the guide played.

Goal: spec 10, analysts. Method: the Browser that the managed Neo4j serves, in Chromium without a head; what is drawn is
read from the page, colours included. Pictures to look at are kept in .test-artifacts/.
"""

import json
import re
import subprocess
import sys

import httpx
import pytest
from playwright.async_api import Locator, expect

from graphsvc.queries import QueryFileError, load_browser_queries, parse_browser_query
from tests.browser.conftest import Analyst
from tests.browser.neo4j_browser import Neo4jBrowser
from tests.harness.artifacts import keep_picture

QUERIES = load_browser_queries()
MUST_SHOW = {
    "ambiguous_aliases": ["anna", "the press", "Press Greta · project:atlas"],
    "changed_this_week": ["promoted", "Paul Pack depends on Acme Print", "buyer-agent"],
    "claims_waiting": [
        "Paul Pack depends on Acme Print · candidate",
        "Paul Pack needs 6,000 boxes",
        "supported by",
    ],
    "history_of_a_thing": ["Acme Print offers same-day turnaround.", "retire", "call-17"],
    "how_two_things_are_connected": ["Paul Adler · project:atlas", "Mila Novak · project:atlas"],
    "map_of_a_scope": ["Tea box 120 · project:atlas", "supplies"],
    "memory_supports": ["Ask Greta for the proofs", "speaks of", "Press Greta · project:atlas"],
    "provenance": ["Acme Print offers same-day turnaround.", "call-17"],
    "provenance_of_a_fact": [
        "Acme Print can deliver before Launch Day",
        "approved by ines",
        "call-17",
        "decided",
    ],
    "retired_things": ["Speedy Cartons", "✗"],
    "task_coverage": ["Book the van with a tail lift", "Order the boxes for Launch Day"],
    "tasks_and_their_things": [
        "Ask for a second quote · open",
        "Bright Box Co. · project:atlas",
        "linked to",
    ],
    "who_knows_what": ["Acme Print has a free same-day slot", "call-17", "noted"],
    "who_may_do_what": ["ines · human", "Shared · shared", "approve"],
}
"""What must be read in the result of each query in the demo world."""


async def drawn(frame: Locator) -> str:
    """All text of a frame, lines of a caption joined."""
    captions = await frame.evaluate(
        """frame => [...frame.querySelectorAll('g.node, g.relationship')].map(
             part => [...part.querySelectorAll('text')].map(line => line.textContent.trim()).join(' '))"""
    )
    return "\n".join([re.sub(r"\s+", " ", text) for text in [*captions, await frame.inner_text()]])


async def fills(frame: Locator) -> dict[str, str]:
    """The colour of each node by its caption."""
    pairs = await frame.evaluate(
        """frame => [...frame.querySelectorAll('g.node')].map(node => [
             [...node.querySelectorAll('text')].map(line => line.textContent.trim()).join(' '),
             [...node.querySelectorAll('circle')].map(circle => getComputedStyle(circle).fill).find(fill => fill != 'none')])"""
    )
    return {re.sub(r"\s+", " ", caption): fill for caption, fill in pairs}


def test_every_ready_query_has_something_that_it_must_show() -> None:
    assert set(MUST_SHOW) == set(QUERIES)


async def test_the_guide_and_the_style_come_by_themselves(
    neo4j_browser: Neo4jBrowser, analyst: Analyst
) -> None:
    frame = await neo4j_browser.play(f"{analyst.state['base_url']}/browser/guide.html")
    await expect(frame).to_contain_text("The memory graph")
    pages = len(QUERIES) + 1
    await expect(frame).to_contain_text(f"1 / {pages}")
    await keep_picture(neo4j_browser.page, "guide-1", full_page=False)
    titles = []
    for number in range(2, pages + 1):
        await frame.get_by_test_id("nextSlide").click()
        await expect(frame).to_contain_text(f"{number} / {pages}")
        titles.append(await frame.locator("h3").first.inner_text())
    assert titles == [query.title for query in QUERIES.values()]
    # A click on the query of a page puts it into the editor.
    await frame.locator("pre.runnable").first.click()
    await expect(neo4j_browser.page.get_by_test_id("activeEditor")).to_contain_text("HAS_TOKEN")
    await keep_picture(neo4j_browser.page, "guide-last", full_page=False)


@pytest.mark.parametrize("name", QUERIES)
async def test_a_ready_query_runs_as_it_is_pasted(neo4j_browser: Neo4jBrowser, name: str) -> None:
    query = QUERIES[name]
    frame = await neo4j_browser.run(query.source)
    drawing = frame.locator("g.node")
    if query.shows == "graph":
        await expect(drawing.first).to_be_visible()
        await neo4j_browser.settle()
    else:
        await expect(frame.locator("table")).to_be_visible()
        await expect(drawing).to_have_count(0)
    await keep_picture(neo4j_browser.page, f"query-{name}", full_page=False)
    text = await drawn(frame)
    assert "ERROR" not in text
    for expected in MUST_SHOW[name]:
        assert expected in text, f"{expected!r} is not in:\n{text}"
    assert neo4j_browser.problems == []


async def test_captions_read_well_and_kinds_are_told_apart(neo4j_browser: Neo4jBrowser) -> None:
    frame = await neo4j_browser.run(QUERIES["who_knows_what"].source)
    await expect(frame.locator("g.node").first).to_be_visible()
    colours = await fills(frame)
    things = {caption for caption in colours if " · project:" in caption or caption.endswith(" · shared")}
    noted = {caption for caption in colours if caption.startswith(("Acme Print has", "Acme Print offers"))}
    assert 'Mill "B" (north) · shared' in things
    assert "Acme Print · project:atlas" in things
    assert len({colours[caption] for caption in things}) == 1
    assert {colours[caption] for caption in noted}.isdisjoint({colours[caption] for caption in things})
    assert not any(re.search(r"\b(ent|obs|rel|trn)_[0-9a-f]{8}", caption) for caption in colours)
    types = await frame.evaluate(
        "frame => [...frame.querySelectorAll('g.relationship text')].map(text => text.textContent)"
    )
    assert {"owns", "supplies"} <= set(types)
    assert "RELATES_TO" not in types


async def test_retired_things_are_faded(neo4j_browser: Neo4jBrowser) -> None:
    frame = await neo4j_browser.run(QUERIES["retired_things"].source)
    await expect(frame.locator("g.node").first).to_be_visible()
    colours = await fills(frame)
    lightness = {
        caption: sum(map(int, re.findall(r"\d+", colour)[:3])) / 765 for caption, colour in colours.items()
    }
    retired = [value for caption, value in lightness.items() if caption.startswith("Speedy Cartons ·")]
    live = [
        value for caption, value in lightness.items() if caption.startswith(("Acme Print ·", "Paul Pack ·"))
    ]
    assert retired
    assert min(retired) > 0.93
    assert max(live) < 0.6


def test_the_command_names_the_address_and_the_file_with_the_password(analyst: Analyst) -> None:
    def browser_command(*arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "graphsvc", "browser", *arguments]
        return subprocess.run(
            command, env=analyst.env | env, capture_output=True, text=True, timeout=60, check=False
        )

    named = json.loads(browser_command("--json").stdout)
    assert named["browser_url"] == analyst.state["browser_url"]
    assert named["password_file"] == analyst.state["neo4j_password_file"]
    assert named["style_command"] == f":style {analyst.state['base_url']}/browser/style.grass"
    printed = browser_command()
    assert named["browser_url"] in printed.stdout
    assert analyst.password() not in printed.stdout
    nothing = browser_command(GRAPHSVC_HOME=analyst.env["GRAPHSVC_HOME"] + "-other")
    assert nothing.returncode == 3
    assert "graphsvc up" in nothing.stdout


def test_only_the_style_and_the_guide_may_be_read_by_pages_of_other_origins(analyst: Analyst) -> None:
    base_url = analyst.state["base_url"]
    elsewhere = {"Origin": "http://elsewhere.example"}
    for path in ("/browser/style.grass", "/browser/guide.html"):
        response = httpx.get(base_url + path, headers=elsewhere)
        assert response.headers["access-control-allow-origin"] == "*"
        assert "Halden" not in response.text  # nothing that is stored
        assert httpx.post(base_url + path).status_code == 405
    for path in ("/", "/ready", "/v1/whoami", "/openapi.json", "/mcp"):
        response = httpx.get(base_url + path, headers=elsewhere)
        assert "access-control-allow-origin" not in response.headers


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ("MATCH (n) RETURN n", "the header must open"),
        ("// Things.\nMATCH (n) RETURN n", "lacks 'parameters:'"),
        ("// Things.\n// parameters: none\n// shows: tree\nMATCH (n) RETURN n", "graph or table"),
        ("// Things.\n// parameters: name = who\n// shows: graph\nMATCH (n) RETURN n", "differ"),
        ("// Things.\n// parameters: none\n// shows: graph\nWITH 'a' AS name MATCH (n) RETURN n", "differ"),
        ("// Things.\n// parameters: none\n// shows: graph\nMATCH (n {id: $id}) RETURN n", "set first"),
        ("// Things.\n// parameters: none\n// shows: graph\nMATCH (n) SET n.a = 1 RETURN n", "writes"),
        ("// Things.\n// parameters: none\n// shows: graph\nMATCH p = (n)-[*]-() RETURN p", "upper bound"),
        (
            "// Things.\n// parameters: none\n// shows: graph\nMATCH p = (n)-[:A*2..]-() RETURN p",
            "upper bound",
        ),
    ],
)
def test_a_query_that_breaks_a_rule_is_refused(wrong: str, why: str) -> None:
    with pytest.raises(QueryFileError, match=why):
        parse_browser_query("wrong", wrong)
