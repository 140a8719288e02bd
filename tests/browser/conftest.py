"""Chromium of the system, driven by playwright."""

import shutil

import pytest


@pytest.fixture(scope="session")
def chromium():
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("Chromium is not installed: make browser gets it")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def opened(chromium):
    """Opens a file in a page of its own; the page must not complain of anything."""
    contexts, complaints = [], []

    def open_page(path, width=1280, scheme="light", query="", **more):
        context = chromium.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme, **more
        )
        contexts.append(context)
        page = context.new_page()
        page.on(
            "console",
            lambda message: complaints.append(message.text) if message.type == "error" else None,
        )
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("requestfailed", lambda request: complaints.append(request.url))
        page.goto(path.as_uri() + query)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []
