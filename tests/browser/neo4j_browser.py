"""Neo4j Browser as a person uses it: connect, paste a query, look at what is drawn."""

import re

from playwright.async_api import Browser, Locator, Page, Route, expect

WAIT_MS = 30_000


class Neo4jBrowser:
    """One open page of Neo4j Browser. Only loopback is reached: what else the page asks for is refused."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.problems: list[str] = []

    @classmethod
    async def open(cls, browser: Browser, url: str) -> "Neo4jBrowser":
        """A new page at this address."""
        page = await browser.new_page(viewport={"width": 1500, "height": 1000})
        page.set_default_timeout(WAIT_MS)
        await page.context.grant_permissions(["clipboard-read", "clipboard-write"])

        async def only_loopback(route: Route) -> None:
            if re.match(r"https?://(127\.0\.0\.1|localhost)[:/]|data:|blob:", route.request.url):
                await route.continue_()
            else:
                await route.abort()

        await page.route("**/*", only_loopback)
        opened = cls(page)
        page.on("pageerror", lambda error: opened.problems.append(str(error)))
        await page.goto(url)
        return opened

    async def connect(self, password: str) -> None:
        """Type the password, everything else being filled in; wait for the style and the guide that come by themselves."""
        await self.page.get_by_test_id("password").fill(password)
        await self.page.get_by_test_id("connect").click()
        await expect(self.page.get_by_test_id("password")).to_have_count(0, timeout=WAIT_MS)
        await expect(self.frames.first.get_by_test_id("carousel")).to_be_visible(timeout=WAIT_MS)

    @property
    def frames(self) -> Locator:
        """The results below the editor, the latest first."""
        return self.page.get_by_test_id("frame")

    async def run(self, text: str) -> Locator:
        """Paste a query into the editor and run it; the frame with its result, when that is drawn."""
        await self.clear()
        await self._submit(text)
        await expect(self.frames).to_have_count(1, timeout=WAIT_MS)
        await expect(self.frames.get_by_test_id("frame-loaded-contents")).to_be_visible(timeout=WAIT_MS)
        return self.frames.first

    async def settle(self) -> None:
        """Wait until the drawing has come to rest."""
        places = "[...document.querySelectorAll('g.node')].map(node => node.getAttribute('transform')).join()"
        before = None
        while before != (now := await self.page.evaluate(places)):
            before = now
            await self.page.wait_for_timeout(400)

    async def clear(self) -> None:
        """Close all frames."""
        await self._submit(":clear")
        await expect(self.frames).to_have_count(0, timeout=WAIT_MS)

    async def play(self, address: str) -> Locator:
        """Open a guide; its frame."""
        await self.clear()
        await self._submit(f":play {address}")
        await expect(self.frames.first.get_by_test_id("carousel")).to_be_visible(timeout=WAIT_MS)
        return self.frames.first

    async def _submit(self, text: str) -> None:
        await self.page.get_by_test_id("activeEditor").click()
        await self.page.keyboard.press("Control+A")
        await self.page.evaluate("text => navigator.clipboard.writeText(text)", text)
        await self.page.keyboard.press("Control+V")
        await self.page.get_by_test_id("editor-Run").click()
