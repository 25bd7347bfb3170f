"""`flows data`: what files hold, on a screen, as JSON and as a page; `flows run --data`."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pexpect
import pytest

from tests.cli.command import Ended, environment
from tests.cli.inside import inside

EVIL = "<script>alert(1)</script>"
ORDERS = "order_id,shop_id,product,price,day\n" + "".join(
    f"{n},{n % 3 + 1},{('Tea', 'Coffee', EVIL)[n % 3]},{n / 4},2024-01-{n % 28 + 1:02}\n"
    for n in range(1, 61)
)
SHOPS = "shop_id,region\n1,North\n2,South\n3,\n"
TOLD = "table,column,description,unit\norders,price,What one costs,EUR\norders,prize,x,\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("data")
    (made / "orders.csv").write_text(ORDERS)
    (made / "shops.csv").write_text(SHOPS)
    (made / "told.csv").write_text(TOLD)
    (made / "empty.csv").write_text("")
    ugly = [{"na\x1b[2Jme": "\x1b]0;owned\x07red\u202eder", "n": 1}, {"n": 2}]
    (made / "ugly.json").write_text(json.dumps(ugly))
    return made


@pytest.fixture(scope="module")
def as_json(folder: Path) -> dict[str, Any]:
    return inside("data", "orders.csv", "shops.csv", "--json", cwd=folder).json()


def columns(found: dict[str, Any], table: int) -> dict[str, Any]:
    return {each["name"]: each for each in found["tables"][table]["columns"]}


def test_a_pipe_gets_a_line_for_each_column(folder: Path) -> None:
    ended = inside("data", "orders.csv", "shops.csv", cwd=folder)
    assert (ended.code, ended.err) == (0, "")
    lines = ended.out.splitlines()
    assert any("orders · 60 rows, 5 columns" in line for line in lines)
    price = next(line for line in lines if line.startswith("price"))
    assert "real" in price
    assert "measure" in price
    assert "0.25 to 15" in price
    region = next(line for line in lines if line.startswith("region"))
    assert "33%" in region
    assert not any(line.endswith(" ") for line in lines if line.startswith("──"))
    assert "\x1b" not in ended.out


def test_a_narrow_screen_loses_nothing(folder: Path) -> None:
    ended = inside("data", "orders.csv", cwd=folder, env=environment(COLUMNS="36"))
    for name in ("order_id", "shop_id", "product", "price", "day", "Coffee"):
        assert name in ended.out
    head = ended.out.partition("order_id  ")[0]
    assert all(len(line) <= 36 for line in head.splitlines())


@pytest.mark.long("whole runs of the command")
def test_a_terminal_shows_it_in_colour(folder: Path) -> None:
    env = environment(TERM="xterm-256color")
    del env["NO_COLOR"]
    child = pexpect.spawn(
        sys.executable, ["-m", "flows", "data", "orders.csv"], cwd=str(folder), env=env,
        encoding="utf-8", timeout=60, dimensions=(60, 100),
    )  # fmt: skip
    child.expect("orders · 60 rows")
    child.expect("price")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    assert "\x1b[" in (child.before or "")


def test_what_files_hold_commands_no_terminal(folder: Path) -> None:
    ended = inside("data", "ugly.json", cwd=folder)
    assert ended.code == 0
    assert not {"\x1b", "\x07", "\u202e"} & set(ended.out)
    assert "redder" in ended.out


def test_json_holds_the_whole_profile(as_json: dict[str, Any]) -> None:
    assert [(t["name"], t["rows"]) for t in as_json["tables"]] == [("orders", 60), ("shops", 3)]
    price = columns(as_json, 0)["price"]
    assert (price["type"], price["role"], price["minimum"], price["maximum"]) == (
        "real", "measure", 0.25, 15.0,
    )  # fmt: skip
    assert columns(as_json, 1)["region"]["missing"] == 1
    assert columns(as_json, 0)["order_id"]["values"] == []
    told = {(each["table"], each["column"]): each for each in as_json["dictionary"]}
    assert told["orders", "price"]["statistics"]["mean"] == 7.625


def test_likely_joins_between_files_are_found(as_json: dict[str, Any], folder: Path) -> None:
    joins = as_json["tables"][0]["joins"]
    assert [(j["columns"], j["table"], j["to_columns"]) for j in joins] == [
        (["shop_id"], "shops", ["shop_id"])
    ]
    ended = inside("data", "orders.csv", "shops.csv", "--table", "orders", cwd=folder)
    assert "shop_id -> shops (shop_id): found" in ended.out
    assert "region" not in ended.out


def test_a_dictionary_says_what_columns_mean(folder: Path) -> None:
    ended = inside("data", "orders.csv", "--dictionary", "told.csv", cwd=folder)
    assert "What one costs" in ended.out
    assert "0.25 to 15 EUR" in ended.out
    words = " ".join(ended.out.split())
    assert "told.csv:3: the table orders has no column 'prize'; did you mean 'price'?" in words


class Page(HTMLParser):
    """The tags, attributes and texts of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.texts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


@pytest.fixture(scope="module")
def page(folder: Path) -> Path:
    (folder / "told2.csv").write_text(f"column,meaning\nprice,{EVIL}\n")
    ended = inside(
        "data", "orders.csv", "shops.csv", "ugly.json", "--html", "page.html", "--dictionary",
        "told2.csv", cwd=folder,
    )  # fmt: skip
    assert (ended.code, ended.out, ended.err) == (0, "page.html: written\n", "")
    return folder / "page.html"


def test_the_page_stands_alone_and_runs_nothing(page: Path) -> None:
    found = Page(page.read_text(encoding="utf-8"))
    assert not {"script", "link", "img", "iframe", "object", "embed", "form", "base"} & set(
        found.tags
    )
    assert not [name for name, _ in found.attributes if name.startswith("on") or name == "src"]
    assert all(value and value[0] == "#" for name, value in found.attributes if name == "href")
    policy = [value for name, value in found.attributes if name == "content"]
    assert any(value and value.startswith("default-src 'none'") for value in policy)


def test_the_page_shows_columns_values_joins_and_distributions(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    found = Page(text)
    for each in ("orders", "price", "order_id", "North", EVIL, "redder"):
        assert any(each in piece for piece in found.texts), each
    assert any("shop_id -> shops (shop_id)" in piece for piece in found.texts)
    assert "svg" in found.tags
    assert 'class="bars"' in text
    assert not {"\x1b", "\x07", "\u202e"} & set(text)


@pytest.mark.long("whole runs of the command")
@pytest.mark.skipif(
    not (shutil.which("chromium") or shutil.which("google-chrome")), reason="no Chromium here"
)
def test_a_browser_draws_the_page_without_running_anything(page: Path, tmp_path: Path) -> None:
    browser = shutil.which("chromium") or shutil.which("google-chrome") or ""
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync"]
    options += ["--disable-background-networking", "--disable-component-update", "--disable-quic"]
    options += [f"--user-data-dir={tmp_path / 'browser'}", "--dump-dom"]
    done = subprocess.run(
        [browser, *options, page.as_uri()], capture_output=True, text=True, timeout=60, check=False
    )
    shown = Page(done.stdout)
    assert any("orders" in piece for piece in shown.texts)
    assert any(EVIL in piece for piece in shown.texts)
    assert "script" not in shown.tags


@pytest.mark.long("whole runs of the command")
def test_a_preview_reads_the_head_of_a_file(folder: Path) -> None:
    rows = "".join(f"{n},{n * 2}\n" for n in range(200_000))
    (folder / "huge.csv").write_text("a,b\n" + rows)
    ended = inside("data", "huge.csv", "--preview", cwd=folder)
    assert ended.code == 0
    assert "the first 1,000 rows" in ended.out
    found = inside("data", "huge.csv", "--preview", "--json", cwd=folder).json()
    assert found["preview"] is True
    assert columns(found, 0)["a"]["maximum"] == 999


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["ordrs.csv"], ["no file", "did you mean orders.csv"]),
        (["empty.csv"], ["is empty"]),
        (["orders.csv", "--table", "order"], ["no table 'order'", "did you mean: orders"]),
        (["orders.csv", "--dictionary", "tld.csv"], ["did you mean: ", "told.csv"]),
        (["orders.csv", "--html", "none/page.html"], ["cannot be written"]),
        (["orders.csv", "--html", "orders.csv"], ["a page's name ends in .html"]),
        (["a=orders.csv", "a=shops.csv"], ["two sources are named 'a'"]),
        ([], ["missing argument"]),
    ],
)
def test_what_is_wrong_is_said(folder: Path, arguments: list[str], said: list[str]) -> None:
    ended: Ended = inside("data", *arguments, cwd=folder)
    assert (ended.code, ended.out) == (2, "")
    for each in said:
        assert each in ended.err


def test_a_run_looks_at_the_data_of_the_command_line(folder: Path) -> None:
    (folder / "look.yaml").write_text(
        "defaults: [{model: offline}, _self_]\n_target_: sql\nname: Ask\n"
        "inputs: {question: 'How many orders are there?'}\n"
    )
    ended = inside("run", "look.yaml", "--data", "orders.csv", "--json", cwd=folder)
    assert ended.code == 0, ended.err
    assert ended.json()["outputs"]["observation"]["table"]["rows"][0][0] == 60
