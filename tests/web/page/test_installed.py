"""The page of an installed package: all that it is made of is in the wheel."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.cli.command import environment, python
from tests.test_wheel import copy_sources, hatchling
from tests.web.page.browsing import tab_of, web_page
from tests.web.page.test_chat import orders


@pytest.mark.long("makes a wheel, installs it, and opens a browser")
@pytest.mark.timeout(300)
def test_the_page_of_a_wheel_answers(tmp_path: Path, browser: Browser) -> None:
    site, work = tmp_path / "site", tmp_path / "work"
    work.mkdir()
    name = hatchling(f"build_wheel({str(tmp_path)!r})", copy_sources(tmp_path / "sources"))
    pip = ("-m", "pip", "install", "--no-deps", "--no-index", "--target", str(site))
    installed = python(*pip, str(tmp_path / name), cwd=tmp_path)
    assert installed.code == 0, installed.err
    env = {"PYTHONPATH": str(site)}
    where = python("-c", "import flows; print(flows.__file__)", cwd=work, env=environment(**env))
    assert where.out.strip() == str(site / "flows" / "__init__.py")
    orders(work / "orders.csv")
    arguments = ("autogpt", "--data", "orders.csv")
    with web_page(work, *arguments, env=env) as page, tab_of(browser, page) as tab:
        tab.say("total revenue by category as a bar chart")
        tab.wait(".turn .plot .main-svg")
        tab.show("#/flows/autogpt")
        tab.wait(".graph .leaf")
        assert not tab.problems
