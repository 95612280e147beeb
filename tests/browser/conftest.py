"""One chromium for all tests that need one, and a page that reports whatever a report should never do."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field

import pytest

CHROMIUM = shutil.which("chromium")

ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@dataclass
class Opened:
    """A report in a browser, and everything it did that a report must not do."""

    page: object
    dialogs: list = field(default_factory=list)
    requests: list = field(default_factory=list)
    complaints: list = field(default_factory=list)

    @property
    def misdeeds(self) -> list:
        return [*self.dialogs, *self.requests, *self.complaints]


@pytest.fixture(scope="session")
def chromium():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(ARGUMENTS))
        yield browser
        browser.close()


@pytest.fixture
def open_report(chromium, tmp_path):
    """Open HTML text from a file, as a reader would; contexts close with the test."""
    contexts = []

    def opened(html: str, *, width: int = 1280, dark: bool = False) -> Opened:
        path = tmp_path / f"report-{len(contexts)}.html"
        path.write_text(html, encoding="utf-8")
        context = chromium.new_context(
            viewport={"width": width, "height": 900}, color_scheme="dark" if dark else "light"
        )
        contexts.append(context)
        page = context.new_page()
        seen = Opened(page)
        page.on("dialog", lambda dialog: (seen.dialogs.append(dialog.message), dialog.dismiss()))
        page.on("console", lambda message: seen.complaints.append(message.text))
        page.on("pageerror", lambda error: seen.complaints.append(str(error)))
        page.on("request", lambda request: request.url == path.as_uri() or seen.requests.append(request.url))
        page.goto(path.as_uri())
        return seen

    yield opened
    for context in contexts:
        context.close()
