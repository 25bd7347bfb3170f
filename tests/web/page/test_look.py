"""How the page is for those who look at it with other eyes, on a small screen, and by keyboard."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, ViewportSize

from tests.web.page.browsing import Scheme, Tab, tab_of, web_page
from tests.web.page.test_chat import bring, orders


def faults(tab: Tab) -> list[str]:
    """What axe finds in the view that is open."""
    found = Axe().run(tab.page).response["violations"]
    return [
        f"{tab.page.url}: {each['id']}: {node['html'][:200]}"
        for each in found
        for node in each["nodes"]
    ]


def step_back(tab: Tab, selector: str) -> None:
    """From the field at the foot back to an element, by Shift and Tab alone."""
    tab.page.focus("#say")
    for _ in range(80):
        tab.page.keyboard.press("Shift+Tab")
        if tab.page.evaluate("(which) => document.activeElement.matches(which)", selector):
            return
    raise AssertionError(f"{selector} is not reached by keyboard")


def is_too_wide(tab: Tab) -> bool:
    wide = "document.documentElement.scrollWidth > window.innerWidth"
    return bool(tab.page.evaluate(wide))


@pytest.mark.long("a browser and the real command")
@pytest.mark.timeout(900)
def test_axe_finds_nothing_in_any_view(tmp_path: Path, browser: Browser) -> None:
    data = orders(tmp_path / "orders.csv")
    shutil.copy(Path("demo.yaml").absolute(), tmp_path)
    with web_page(tmp_path, "demo.yaml", "--data", str(data)) as page:
        with tab_of(browser, page) as tab:
            tab.say("show me the orders")
            tab.wait(".options button")
            tab.page.click(".options button >> nth=0")
            tab.wait(".turn:nth-child(2) .cite")
            tab.say("total revenue by category as a bar chart")
            tab.wait(".turn:nth-child(3) .plot .main-svg")
            for each in tab.page.locator(".fold summary").all():
                each.click()
            chat = tab.page.url
            found = faults(tab)
            tab.page.click(".turn:nth-child(3) .cite >> nth=0")
            tab.wait("dialog td.marked")
            found += faults(tab)
            tab.page.keyboard.press("Escape")
            tab.show("#/flows/demo")
            tab.wait(".fields textarea")
            tab.page.click("form button.primary")
            tab.wait(".question .table")
            run = tab.page.url
            two = "/".join(each.rpartition("/")[2] for each in (chat, run))
            tab.page.click("text=End here")
            tab.wait(".status .chip", "inished")
            state = tab.context.storage_state()
        schemes: tuple[tuple[Scheme, int], ...] = (
            ("light", 1280), ("light", 390), ("dark", 1280), ("dark", 390),
        )  # fmt: skip
        for scheme, width in schemes:
            size: ViewportSize = {"width": width, "height": 800}
            with browser.new_context(
                viewport=size, color_scheme=scheme, storage_state=state
            ) as context:
                tab = Tab(context, page.base)
                views = ("chat", "flows", "flows/demo", "runs", f"compare/{two}", "runs/none", "%")
                for place in (*(f"#/{each}" for each in views), run, chat):
                    tab.show(place.removeprefix(page.base))
                    tab.page.reload()
                    tab.wait("main h1")
                    found += faults(tab)
                    assert not is_too_wide(tab), tab.page.url
                tab.wait("main .turn")
                tab.show(run.removeprefix(page.base))
                tab.page.click(".steps button >> nth=0")
                tab.wait("dialog section")
                found += faults(tab)
                assert not tab.problems
        assert not found, "\n".join(found)


@pytest.mark.long("a browser and the real command")
@pytest.mark.timeout(600)
def test_everything_can_be_reached_by_keyboard(tmp_path: Path, browser: Browser) -> None:
    data = orders(tmp_path / "orders.csv")
    with web_page(tmp_path) as page, tab_of(browser, page, width=390) as tab:
        tab.page.reload()
        tab.wait("#say")
        tab.page.focus(".skip")
        tab.page.keyboard.press("Enter")
        assert tab.page.evaluate("document.activeElement.id") == "main"
        reached = []
        for _ in range(4):
            tab.page.keyboard.press("Tab")
            reached.append(tab.page.evaluate("document.activeElement.id"))
        assert [each for each in reached if each][:2] == ["upload", "say"]
        bring(tab, data)
        tab.wait(".uploads .good")
        tab.page.focus("#say")
        tab.page.keyboard.type("show me the orders")
        tab.page.keyboard.press("Enter")
        tab.wait(".options button")
        step_back(tab, ".options button")
        tab.page.keyboard.press("Enter")
        tab.wait(".turn:nth-child(2) .cite")
        step_back(tab, ".turn:nth-child(2) .cite")
        tab.page.keyboard.press("Enter")
        tab.wait("dialog td.marked")
        tab.page.keyboard.press("Escape")
        assert tab.page.evaluate("document.activeElement.className") == "cite"
        tab.page.focus("#say")
        tab.page.keyboard.type("total revenue by category")
        tab.page.keyboard.press("Enter")
        tab.wait(".turn:nth-child(3) th button")
        step_back(tab, ".turn:nth-child(3) th:nth-child(2) button")
        tab.page.keyboard.press("Enter")
        tab.wait("th[aria-sort=descending]")
        assert not tab.problems
