"""The page in a browser: nothing of the data runs or loads, and numbers lead to their cells."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from flows.core.artifacts import Artifacts
from flows.data.answers.citations import Citation
from flows.data.results.figures import plotly_js
from flows.data.tables import ResultTable
from flows.report.figures import TRACES
from flows.report.page import html_page
from flows.report.report import Report
from flows.semantics.findings import Finding, Told
from tests.report.browser import Browser
from tests.report.conftest import Made
from tests.report.hostile import hostile
from tests.report.sample import Desk, result_of

BROWSER = pytest.mark.long("a real browser")
DRAWN = "[...document.querySelectorAll('.plot')].every(p => p.querySelector('.main-svg'))"
HERE = """(() => {
  const cell = document.getElementById(location.hash.slice(1));
  const box = cell.getBoundingClientRect(), at = document.elementFromPoint(
    box.left + box.width / 2, box.top + box.height / 2);
  return {seen: cell === at || cell.contains(at), tag: cell.tagName, value: cell.title,
    marked: document.querySelectorAll('td.marked').length,
    marks: cell.classList.contains('marked'), focus: document.activeElement === cell,
    made: [...cell.closest('details').querySelectorAll('.origin details')].every(d => d.open),
    origin: cell.closest('details').querySelector('.origin').textContent};
})()"""


@pytest.fixture(scope="module")
def page(made: Made, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_bytes(html_page(*made))
    return path


@pytest.fixture(scope="module")
def evil(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("evil")
    path = folder / "report.html"
    path.write_bytes(html_page(*hostile(folder)))
    return path


def test_a_usual_page_is_small(made: Made) -> None:
    assert len(html_page(*made)) - len(plotly_js().encode()) < 300_000


def test_plotly_is_only_there_for_charts(made: Made) -> None:
    report, artifacts = made
    without = report.model_copy(update={"results": report.results[:3]})
    assert len(html_page(without, artifacts)) < 200_000


@BROWSER
def test_the_page_asks_for_nothing_and_has_no_error(browser: Browser, page: Path) -> None:
    for width, dark in ((1400, False), (390, True)):
        browser.open(page, width=width, dark=dark)
        browser.wait(DRAWN)
        assert browser.run("document.querySelectorAll('.plot .main-svg').length") >= 2
        assert browser.run("document.documentElement.scrollWidth") <= width
        assert (browser.requests, browser.violations, browser.errors) == ([], [], [])


@BROWSER
def test_nothing_hostile_runs_or_loads(browser: Browser, evil: Path) -> None:
    for width in (1400, 390):
        browser.open(evil, width=width)
        browser.wait(DRAWN)
        browser.run("document.querySelectorAll('details').forEach(d => d.open = true)")
        assert browser.run("[typeof window.pwned, typeof ({}).pwned]") == ["undefined"] * 2
        assert (browser.requests, browser.violations, browser.errors) == ([], [], [])
        assert browser.run("document.documentElement.scrollWidth") <= width
    assert browser.run("document.querySelectorAll('.plot .main-svg').length") >= 4
    hrefs = browser.run("[...document.querySelectorAll('a')].map(a => a.getAttribute('href'))")
    assert hrefs
    assert all(str(each).startswith("#") for each in hrefs)
    odd = "iframe, object, embed, form, base, link, svg a, svg image, svg script, [srcset]"
    assert browser.run(f"document.querySelectorAll({odd!r}).length") == 0
    handlers = "[...document.querySelectorAll('*')].flatMap(e => e.getAttributeNames())"
    assert browser.run(f"{handlers}.filter(n => n.startsWith('on'))") == []


@BROWSER
def test_what_is_hostile_is_shown_as_text(browser: Browser, evil: Path) -> None:
    browser.open(evil)
    browser.wait(DRAWN)
    title = browser.run("document.querySelector('h1').textContent")
    for shown in ("<script>window.pwned=1</script>", "{{7*7}}", "javascript:window.pwned=4"):
        assert shown in title
    everything = browser.run("document.body.textContent")
    assert not set("\u202e\u2066\u200b\x1b\x07") & set(everything)
    assert "<a href='javascript:window.pwned=7'" in everything  # a label of a chart


@BROWSER
def test_each_kind_of_trace_is_drawn_within_the_policy(browser: Browser, folder: Path) -> None:
    """And its labels with the few tags that they may have."""
    desk = Desk(Artifacts(folder / "run"))
    kinds = {each: trace(each) for each in sorted(TRACES)}
    figures = tuple(
        desk.figure(kind, {"data": [each], "layout": {"title": kind, "annotations": [
            {"text": "<b>a</b><i>b</i><em>c</em><sub>d</sub><sup>e</sup><u>f</u><s>g</s><br>h",
             "x": 0.5, "y": 0.5, "xref": "paper", "yref": "paper"}]}}, kind)
        for kind, each in kinds.items()
    )  # fmt: skip
    finding = Finding(output_type="figure", response="", figures=figures)
    report = Report(run_id="r", question="?", summary=Told(text=""),
                    results=(result_of(0, "A", "Draw.", finding),))  # fmt: skip
    path = folder / "kinds.html"
    path.write_bytes(html_page(report, desk.artifacts))
    browser.open(path)
    browser.wait(DRAWN)
    assert browser.run("document.querySelectorAll('.plot .main-svg').length") >= len(TRACES)
    bold = "[...document.querySelectorAll('.plot tspan')].find(t => t.textContent === 'a')"
    assert browser.run(f"getComputedStyle({bold}).fontWeight") == "700"
    browser.run("document.getElementById('theme').click()")
    browser.wait(DRAWN)
    browser.run("document.getElementById('theme').click()")
    assert (browser.requests, browser.violations, browser.errors) == ([], [], [])


def trace(kind: str) -> dict[str, Any]:
    """A small trace of a kind, with numbers under all names that kinds of traces have for them."""
    names, numbers = ["a", "b", "c"], [3, 1, 2]
    shared = {"x": numbers, "y": numbers, "r": numbers, "theta": [10, 90, 200]}
    tree = {"labels": names, "parents": ["", "a", "a"], "values": numbers}
    grid = {"z": [[1, 2], [3, 4]], "colorbar": {"title": {"text": "z"}}}
    own: dict[str, dict[str, Any]] = {
        "candlestick": {"x": [1], "open": [1], "high": [3], "low": [0], "close": [2]},
        "ohlc": {"x": [1], "open": [1], "high": [3], "low": [0], "close": [2]},
        "heatmap": grid, "contour": grid, "indicator": {"mode": "number+delta", "value": 3},
        "parcats": {"dimensions": [{"values": names}, {"values": names}]},
        "sankey": {"node": {"label": names},
                   "link": {"source": [0, 0], "target": [1, 2], "value": [1, 2]}},
        "scatterternary": {"a": numbers, "b": numbers, "c": numbers},
        "table": {"header": {"values": names}, "cells": {"values": [names] * 3}},
        **dict.fromkeys(("icicle", "sunburst", "treemap", "pie", "funnelarea"), tree),
    }  # fmt: skip
    return {"type": kind, **own.get(kind, shared)}


@BROWSER
def test_a_number_that_no_cell_holds_is_flagged(browser: Browser, evil: Path) -> None:
    browser.open(evil)
    flagged = browser.run("[...document.querySelectorAll('.untraced')].map(e => e.textContent)")
    # 777 is cited with a cell that holds something else.
    assert flagged == ["666untraced", "777untraced"] * 2
    assert "4 of 6 numbers untraced" in browser.run("document.body.textContent")


@BROWSER
def test_the_policy_stops_what_would_get_in(browser: Browser, page: Path, folder: Path) -> None:
    """That nothing ran above says something: the same page with a script in it is stopped."""
    text = page.read_text(encoding="utf-8")
    bad = (
        "<script>window.pwned=1</script><img src='http://127.0.0.1:9/x' onerror='window.pwned=2'>"
        "<style>body{display:none}</style><a id=x href='javascript:window.pwned=3'>x</a>"
    )
    broken = folder / "broken.html"
    broken.write_text(text.replace("<main>", f"<main>{bad}"), encoding="utf-8")
    browser.open(broken)
    browser.wait(DRAWN)
    browser.run("document.getElementById('x').click()")
    assert browser.run("typeof window.pwned") == "undefined"
    assert browser.run("getComputedStyle(document.body).display") == "block"
    assert len(browser.violations) >= 3


def numbers(report: Report) -> Iterator[tuple[Told, Citation]]:
    for told in (report.summary, *(t for r in report.results for t in r.finding.insights)):
        for citation in told.citations:
            yield told, citation


def cell_of(artifacts: Artifacts, citation: Citation) -> Any:
    table = ResultTable.model_validate_json(artifacts.read(citation.result or ""))
    assert citation.row is not None
    return table.rows[citation.row][table.columns.index(citation.column or "")]


def click(browser: Browser, place: int) -> str:
    """Click on a number, in the middle of the window; returns its text."""
    link = f"document.querySelectorAll('a.num')[{place}]"
    browser.run(f"{link}.scrollIntoView({{block: 'center'}})")
    x, y, text = browser.run(
        f"(() => {{ const b = {link}.getBoundingClientRect();"
        f"return [b.left + b.width / 2, b.top + b.height / 2, {link}.textContent]; }})()"
    )
    browser.click(x, y)
    browser.wait(f"location.hash === {link}.getAttribute('href')")
    return str(text)


@BROWSER
def test_each_number_leads_to_its_cell(browser: Browser, page: Path, made: Made) -> None:
    report, artifacts = made
    cited = list(numbers(report))
    for width in (1400, 390):
        browser.open(page, width=width)
        browser.wait(DRAWN)
        assert browser.run("document.querySelectorAll('a.num').length") == len(cited)
        for place, (told, citation) in enumerate(cited):
            if citation.origin != "cell" and citation.rows_used == ():
                continue
            assert (
                click(browser, place) == citation.text == told.text[citation.start : citation.end]
            )
            landed = browser.run(HERE)
            assert landed["tag"] == "TD"
            assert landed["seen"]
            assert landed["marks"]
            assert landed["focus"]
            assert landed["made"]
            assert any(each.sha256 in landed["origin"] for each in report.sources)
            if citation.origin == "cell":
                assert float(landed["value"]) == cell_of(artifacts, citation)
                assert landed["marked"] == 1
            else:
                assert landed["marked"] == len(citation.rows_used)


@BROWSER
def test_a_number_of_a_wide_hostile_table_is_found(browser: Browser, evil: Path) -> None:
    """Row 8 of column 300, where only the first are shown."""
    browser.open(evil, width=1400)
    browser.wait(DRAWN)
    places = browser.run("document.querySelectorAll('a.num').length")
    assert places == 2
    for place, value in enumerate((2 * 1000.25 + 1, 7 * 1000.25 + 299)):
        click(browser, place)
        landed = browser.run(HERE)
        assert (landed["seen"], float(landed["value"])) == (True, value)


@BROWSER
def test_the_number_of_rows_leads_to_the_table(browser: Browser, page: Path) -> None:
    browser.open(page)
    link = "[...document.querySelectorAll('a.num')].find(a => a.textContent === '20')"
    browser.run(f"{link}.click()")
    browser.wait("document.getElementById(location.hash.slice(1))?.open")
    size = browser.run("document.getElementById(location.hash.slice(1)).querySelector('.size')"
                       ".textContent")  # fmt: skip
    assert size == "20 rows, 4 columns"


@BROWSER
def test_by_keyboard_there_and_back(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.wait(DRAWN)
    browser.run("document.querySelector('a.num').focus()")
    browser.press("Enter")
    browser.wait("document.activeElement.matches('td.marked')")
    browser.press("Escape")
    browser.wait("document.activeElement === document.querySelector('a.num')")
    assert browser.run("document.getElementById('back').hidden")


@BROWSER
def test_light_and_dark(browser: Browser, page: Path) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    ink = "getComputedStyle(document.querySelector('.plot .xtick text')).fill"
    browser.open(page)
    browser.wait(DRAWN)
    light = browser.run(f"[{ground}, {ink}]")
    browser.run("document.getElementById('theme').click()")
    browser.wait(f"{ink} !== {json.dumps(light[1])}")
    dark = browser.run(f"[{ground}, {ink}]")
    assert dark[0] != light[0]
    browser.open(page, dark=True)  # what was chosen before is not the system's wish
    browser.run("localStorage.clear()")
    browser.open(page, dark=True)
    browser.wait(DRAWN)
    assert browser.run(f"[{ground}, {ink}]") == dark
    browser.run("document.getElementById('theme').click()")
    browser.wait(f"{ink} === {json.dumps(light[1])}")
    assert browser.run(ground) == light[0]
    browser.run("localStorage.clear()")


@BROWSER
def test_on_paper_all_is_open(browser: Browser, page: Path) -> None:
    browser.open(page, dark=True)
    browser.wait(DRAWN)
    shut = "document.querySelectorAll('details:not([open])').length"
    assert browser.run(shut) > 5
    browser.run("dispatchEvent(new Event('beforeprint'))")
    assert browser.run(shut) == 0
    browser.run("dispatchEvent(new Event('afterprint'))")
    assert browser.run(shut) > 5
    assert browser.pdf().startswith(b"%PDF")
    assert browser.errors == []


@BROWSER
def test_without_scripts_the_page_still_leads(browser: Browser, page: Path) -> None:
    browser.scripts(allowed=False)
    try:
        browser.open(page)
        href = browser.run("document.querySelector('a.num').getAttribute('href')")
        assert browser.run(f"document.querySelector({href!r}).tagName") == "TD"
        assert browser.run("document.getElementById('theme').hidden")
    finally:
        browser.scripts(allowed=True)
