"""The page at `/` in a real browser: searched with the keyboard alone, at two sizes, in light and dark.

Goal: spec 09 and the page's own promises: the token stays in memory, no other host is asked, stored text stays text.
Method: Chromium without a head, driven over its own protocol; skipped, saying so, where it is not installed. Pictures to
look at are kept in .test-artifacts/.
"""

import re

import httpx
import pytest
from playwright.async_api import Browser, Page, Request, expect

from tests.harness.artifacts import keep_picture
from tests.harness.service_process import Caller, ServiceProcess

EVIL = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script> & co"


@pytest.fixture
def known(agent: Caller) -> Caller:
    """An agent whose memory holds the example of the specification, and something nasty."""
    agent.call(
        "create_entities",
        entities=[
            {
                "name": "Acme Print",
                "kind": "organization",
                "aliases": ["Acme"],
                "observations": ["Acme Print offers same-day turnaround", "Acme Print closes on Mondays"],
            },
            {"name": "Paul Pack", "kind": "organization", "observations": ["needs boxes the same day"]},
            {"name": EVIL, "kind": "concept", "observations": [f"same-day {EVIL}"]},
        ],
    )
    agent.call("create_relations", relations=[{"from": "Acme Print", "type": "supplies", "to": "Paul Pack"}])
    return agent


async def ask_by_keyboard(page: Page, token: str, query: str) -> None:
    """Type the token and the question without touching the mouse, and wait for what is said."""
    await page.focus("#token")
    await page.keyboard.type(token)
    await page.keyboard.press("Tab")
    await page.keyboard.type(query)
    await page.keyboard.press("Enter")
    await expect(page.locator("#said")).to_have_text(re.compile(r"found|\d{3}:"), timeout=40_000)


@pytest.mark.parametrize(("width", "scheme"), [(1200, "light"), (380, "dark")])
async def test_a_search_by_keyboard_shows_evidence_pointers_scores_and_budget(
    browser: Browser, service: ServiceProcess, known: Caller, width: int, scheme: str
) -> None:
    context = await browser.new_context(
        viewport={"width": width, "height": 900},
        color_scheme=scheme,  # type: ignore[arg-type]
    )
    page = await context.new_page()
    asked: list[Request] = []
    problems: list[str] = []
    page.on("request", lambda request: asked.append(request))  # noqa: PLW0108 - a builtin is refused
    page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: problems.append(str(error)))
    await page.goto(f"{service.base_url}/")
    await expect(page.locator("#state")).to_have_text("It is ready.")
    await keep_picture(page, f"page-{width}-start")
    query = "who offers same-day printing, Acme Print or Paul Pack?"
    await ask_by_keyboard(page, known.token, query)
    answer = known.call("search_nodes", query=query, pointers=True, budget={"unit": "chars", "limit": 8000})
    shown = [await item.inner_text() for item in await page.locator("#evidence > li h3").all()]
    assert len(shown) == len(answer["evidence"]) == 3
    for text, hit in zip(shown, answer["evidence"], strict=True):
        assert text.startswith(hit["entity"]["name"])
    body = await page.inner_text("main")
    assert "Acme Print offers same-day turnaround" in body
    assert EVIL in body
    assert await page.title() == "graphsvc"
    assert await page.locator("#evidence img, #evidence script").count() == 0
    marked = [await mark.inner_text() for mark in await page.locator("#named mark").all()]
    assert marked == ["Acme Print", "Paul Pack"]
    used = answer["accounting"]["budget"]["used"]
    assert (
        await page.locator("#budget .bar").first.get_attribute("aria-label")
        == f"Budget: {used} of 8000 chars used"
    )
    scores = await page.locator("#evidence .bar").all()
    assert len(scores) == sum(hit["via"] == "match" for hit in answer["evidence"])
    label = await scores[0].get_attribute("aria-label")
    assert label is not None
    assert label.startswith(f"Score {answer['evidence'][0]['score']:.2f}: lexical")
    assert await page.evaluate("document.activeElement.id") == "found"
    await keep_picture(page, f"page-{width}-found")
    assert await page.evaluate("document.documentElement.scrollWidth") <= width
    # Nothing left the service, and the token is nowhere but in the field.
    assert {request.url.split("/")[2] for request in asked if not request.url.startswith("data:")} == {
        service.base_url.split("/")[2]
    }
    assert not any(known.token in request.url for request in asked)
    stored = await page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie])")
    assert stored == '[{},{},""]'
    assert problems == []
    await page.reload()
    assert await page.input_value("#token") == ""
    await context.close()


async def test_what_is_wrong_is_said_and_a_neighbour_can_be_followed(
    browser: Browser, service: ServiceProcess, known: Caller
) -> None:
    page = await browser.new_page()
    await page.goto(f"{service.base_url}/")
    await page.fill("#limit", "20")
    await ask_by_keyboard(page, known.token, "Acme Print")
    assert "$.budget.limit" in await page.inner_text("#said")
    assert await page.locator("#result").is_hidden()
    await page.fill("#limit", "4000")
    await page.focus("#query")
    await page.keyboard.press("Enter")
    await page.wait_for_selector("#evidence .link")
    await page.locator("#evidence .link", has_text="Paul Pack").first.press("Enter")
    await expect(page.locator("#evidence h3").first).to_have_text(re.compile("^Paul Pack"))
    assert await page.input_value("#query") == "Paul Pack"
    await page.fill("#query", "zzzzqqqq")
    await page.locator("#query").press("Enter")
    await expect(page.locator("#said")).to_have_text("Nothing was found.")
    await keep_picture(page, "page-nothing")
    await page.locator("#metrics").press("Enter")
    await expect(page.locator("#said")).to_have_text(re.compile("^403:"))
    await page.fill("#token", "gsv_wrong")
    await page.locator("#query").press("Enter")
    await expect(page.locator("#said")).to_have_text(re.compile("^401:"))
    await page.close()


async def test_every_field_has_a_label_and_every_link_a_name(
    browser: Browser, service: ServiceProcess
) -> None:
    page = await browser.new_page()
    await page.goto(f"{service.base_url}/")
    unnamed = await page.evaluate(
        "[...document.querySelectorAll('input, select')].filter(field => !field.labels.length).map(field => field.id)"
    )
    assert unnamed == []
    reached = []
    for _ in range(12):
        await page.keyboard.press("Tab")
        reached.append(
            await page.evaluate("document.activeElement.id || document.activeElement.textContent.trim()")
        )
    for place in (
        "API documentation",
        "metrics",
        "token",
        "query",
        "project",
        "limit",
        "unit",
        "pointers",
        "Search",
    ):
        assert place in reached, reached
    await page.close()


def test_the_page_is_static_and_allows_nothing_but_itself(service: ServiceProcess) -> None:
    response = httpx.get(f"{service.base_url}/")
    policy = response.headers["content-security-policy"]
    assert response.status_code == 200
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy
    assert "http://" not in response.text.replace("http://127.0.0.1", "")
    assert "https://" not in response.text
    assert httpx.post(f"{service.base_url}/").status_code == 405
