"""Pictures and logs that a run leaves to be looked at, in `.test-artifacts/` (not in git)."""

from pathlib import Path

from playwright.async_api import Page

ARTIFACTS = Path(__file__).resolve().parents[2] / ".test-artifacts"


async def keep_picture(page: Page, name: str, *, full_page: bool = True) -> Path:
    """Keep what the page looks like now."""
    ARTIFACTS.mkdir(exist_ok=True)
    path = ARTIFACTS / f"{name}.png"
    await page.screenshot(path=path, full_page=full_page)
    return path
