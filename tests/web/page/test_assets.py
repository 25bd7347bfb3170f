"""The files of the page: what they hold, and under which policy they run."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

from flows.web.page.assets import content_of, policy

NAMES = sorted(each.name for each in (files("flows.web.page") / "assets").iterdir())
# What reads a text as markup or as code.
MARKUP = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|createContextualFragment"
    r"|srcdoc|\beval\(|new Function|setTimeout\([\"'`]|javascript:"
)


def text_of(name: str) -> str:
    content = content_of(name)
    assert content is not None
    return content.decode()


@pytest.mark.parametrize("name", [each for each in NAMES if each.endswith(".js")])
def test_no_script_reads_a_text_as_markup(name: str) -> None:
    assert not MARKUP.search(text_of(name))
    assert text_of(name).startswith("//"), "a module says what it is for"


def test_the_page_has_no_script_and_no_style_of_its_own() -> None:
    page = text_of("index.html")
    assert re.findall(r"<script[^>]*>[^<]", page) == []
    assert "<style" not in page
    assert not re.search(r"\s(?:style|on\w+)=", page)
    named = re.findall(r'(?:src|href)="([^"#]+)"', page)
    assert all(each.startswith("/assets/") for each in named)
    assert {each.rpartition("/")[2] for each in named} <= set(NAMES)


@pytest.mark.parametrize("name", [each for each in NAMES if each.endswith(".js")])
def test_what_a_module_takes_from_another_is_there(name: str) -> None:
    for taken, origin in re.findall(r'import \{([^}]+)\} from "\./([\w.]+)"', text_of(name)):
        there = set(
            re.findall(r"export (?:async )?(?:function|const|class) (\w+)", text_of(origin))
        )
        assert {each.strip() for each in taken.split(",")} <= there, (name, origin)


def test_the_policy_allows_the_page_its_own_and_nothing_else() -> None:
    allowed = dict(each.split(" ", 1) for each in policy().split("; "))
    assert allowed["default-src"] == "'none'"
    assert allowed["script-src"] == allowed["connect-src"] == "'self'"
    assert allowed["style-src-elem"].startswith("'self' 'sha256-")
    assert "unsafe-inline" not in policy()
    assert "unsafe-eval" not in policy()
    assert "http" not in policy()


@pytest.mark.parametrize("name", ["", ".", "..", "../door.py", "/etc/passwd", "none.js"])
def test_only_the_files_of_the_page_are_given(name: str) -> None:
    assert content_of(name) is None
