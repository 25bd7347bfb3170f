"""HTML to paragraphs under their headings: what a reader of the page reads."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING

from flows.data.documents.blocks import Block, Headings, one_line

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag
    from bs4.element import NavigableString

_DROPPED = (
    "script", "style", "noscript", "template", "svg", "math", "iframe", "object", "nav", "button",
    "select", "head", "[hidden]", "[role=navigation]", "[role=menu]", "[aria-hidden=true]",
)  # fmt: skip
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_CELLS = ("td", "th")
_SIGNS = "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"
_RAISED = str.maketrans("0123456789", _SIGNS)
_MOST_RAISED = 2
_WIDEST_SPAN = 1_000
# Also inside of a cell, since tables are used to lay pages out.
_APART = frozenset({*_HEADINGS, "li"})
_BLOCKS = frozenset({
    "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details",
    "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "header", "html", "li",
    "main", "ol", "p", "pre", "section", "summary", "table", "tbody", "tfoot", "thead", "tr", "ul",
    *_HEADINGS,
})  # fmt: skip


def read_html(content: bytes) -> Iterator[Block]:
    """The paragraphs, items and rows of a page, without scripts, styles, navigation and what is
    hidden."""
    from bs4 import BeautifulSoup

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of pages that look like XML or like an address
        page = BeautifulSoup(content, "lxml")
    headings = Headings()
    title = one_line(page.title.get_text()) if page.title is not None else ""
    if page.find("h1") is None:
        headings.enter(1, title)
    _drop(page)
    _raise_digits(page)
    tables = _Tables()
    for block, text in _texts(page):
        if block.name in _HEADINGS:
            headings.enter(int(block.name[1]), text)
        else:
            table, cells = tables.row(block)
            yield Block(text=text, section=headings.path, table=table, cells=cells)


class _Tables:
    """The tables of a page. One that lays the page out, with blocks in its cells, is none."""

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}

    def row(self, block: Tag) -> tuple[int, tuple[str, ...]]:
        """The number of a row's table and its cells; 0 for what is no row of a table."""
        table = block.find_parent("table") if block.name == "tr" else None
        if table is None or block.find(["table", *_APART]) is not None:
            return 0, ()
        number = self._numbers.setdefault(id(table), len(self._numbers) + 1)
        cells: list[str] = []
        for each in block.find_all(_CELLS, recursive=False):
            span = str(each.get("colspan") or 1)
            wide = int(span) if span.isdecimal() else 1
            cells += [one_line(each.get_text(" ")), *[""] * (min(wide, _WIDEST_SPAN) - 1)]
        return number, tuple(cells)


def _drop(page: BeautifulSoup) -> None:
    for each in page.select(", ".join(_DROPPED)):
        each.extract()
    for each in page.select("[style]"):
        if _HIDDEN.search(str(each.get("style"))):
            each.extract()


def _raise_digits(page: BeautifulSoup) -> None:
    """Raised digits as signs of their own, so that `m<sup>2</sup>` is not read as `m 2`."""
    for each in page.find_all("sup"):
        text = each.get_text().strip()
        if 0 < len(text) <= _MOST_RAISED and text.isascii() and text.isdigit():
            around = each.parent
            each.replace_with(text.translate(_RAISED))
            if around is not None:
                around.smooth()


def _texts(page: BeautifulSoup) -> Iterator[tuple[Tag, str]]:
    """Each block element that holds text of its own, with that text."""
    from bs4.element import NavigableString, PreformattedString

    held: list[str] = []
    block: Tag | None = None
    cell: Tag | None = None
    for each in page.descendants:
        if not isinstance(each, NavigableString) or isinstance(each, PreformattedString):
            if getattr(each, "name", None) == "br":
                held.append(" ")
            continue
        around, within = _place(each)
        if around is not block:
            if block is not None and (text := one_line("".join(held))):
                yield block, text
            held, block = [], around
        elif within is not cell and one_line("".join(held)) and each.strip():
            held.append(" | ")
        if each.strip() or around is block:
            held.append(str(each))
        cell = within if each.strip() else cell
    if block is not None and (text := one_line("".join(held))):
        yield block, text


def _place(text: NavigableString) -> tuple[Tag | None, Tag | None]:
    """The block element that a text belongs to, and its cell where that is a row of a table."""
    block: Tag | None = None
    cell: Tag | None = None
    for each in text.parents:
        if cell is not None:
            if each.name == "tr":
                return each, cell
        elif each.name in _CELLS:
            cell = each
        elif each.name in _BLOCKS:
            if each.name in _APART:
                return each, None
            block = block or each
    return block, None
