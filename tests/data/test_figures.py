"""Figures of untrusted code: a page that draws them and runs nothing that stands in them."""

from __future__ import annotations

import base64
import hashlib
import json
from html.parser import HTMLParser

import pytest

from flows.data.results.figures import checked_plotly, checked_png, figure_json, figure_page
from flows.errors import CodeFailed

BAD = "</script><img src=x onerror=alert(1)><script>alert(2)</script><!--"


class Elements(HTMLParser):
    """The elements of a page as a browser sees them, and what stands in its scripts."""

    def __init__(self, page: bytes) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.scripts: list[str] = []
        self.policy = ""
        self.in_script = False
        self.feed(page.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        named = dict(attrs)
        self.in_script = tag == "script"
        if self.in_script:
            self.scripts.append("")
        if named.get("http-equiv") == "Content-Security-Policy":
            self.policy = named["content"] or ""
        assert not any(name.startswith("on") for name, _ in attrs)
        assert "src" not in named

    def handle_data(self, data: str) -> None:
        if self.in_script:
            self.scripts[-1] += data

    def handle_endtag(self, tag: str) -> None:
        self.in_script = False


def test_no_text_of_a_figure_is_run() -> None:
    figure = {
        "data": [{"type": "bar", "x": [BAD], "y": [1], "name": BAD, BAD: BAD}],
        "layout": {"title": {"text": BAD}, "xaxis": {"title": {"text": BAD}}},
    }
    page = figure_page(checked_plotly(json.dumps(figure), "f"), BAD)
    found = Elements(page)
    assert found.tags.count("script") == len(found.scripts) == 3
    assert "img" not in found.tags
    drawn, *run = found.scripts
    assert json.loads(drawn) == figure
    hashes = [base64.b64encode(hashlib.sha256(each.encode()).digest()).decode() for each in run]
    allowed = found.policy.split("script-src")[1].split(";")[0].split()
    assert allowed == [*(f"'sha256-{each}'" for each in hashes), "'unsafe-eval'"]
    assert "default-src 'none'" in found.policy  # nothing is loaded: it opens offline
    assert len(run[0]) > 1_000_000  # plotly.js is in it


def test_the_json_of_a_figure_is_the_figure() -> None:
    figure = {"data": [{"y": [1, None]}], "layout": {"title": "ü</script>"}, "frames": []}
    content = figure_json(checked_plotly(json.dumps(figure | {"config": {"x": 1}}), "f"))
    assert json.loads(content) == figure
    assert b"<" not in content


def test_not_a_number_is_missing() -> None:
    assert checked_plotly('{"data": [{"y": [NaN, Infinity, 1]}]}', "f") == {
        "data": [{"y": [None, None, 1]}]
    }


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"data": {}}', '{"data": [1]}', '{"data": [], "layout": []}', "[" * 100_000],
    ids=["empty", "list", "no data", "data object", "trace", "layout", "deep"],
)
def test_what_is_no_figure_is_refused(text: str) -> None:
    with pytest.raises(CodeFailed, match="'f'"):
        checked_plotly(text, "f")


def test_a_png_is_one() -> None:
    from io import BytesIO

    from matplotlib.figure import Figure

    opened = BytesIO()
    Figure().savefig(opened, format="png")
    png = opened.getvalue()
    assert checked_png(png, "f") == png
    for other in (b"", png[:-1], png[1:], b"GIF89a", b"<svg/>", png + b"<script>"):
        with pytest.raises(CodeFailed, match="no whole PNG"):
            checked_png(other, "f")
