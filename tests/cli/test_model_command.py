"""`flows model`: what data mean, on a screen, as JSON and as a file that people complete."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pexpect
import pytest

from flows.semantics.formats import read_model
from flows.semantics.model import SemanticModel
from tests.cli.command import environment
from tests.cli.inside import inside
from tests.processes import children_of

ORDERS = "order_id,shop_id,fee,placed,status,score\n" + "".join(
    f'{n},{n % 3 + 1},"${n * 61:,}.50",{n % 28 + 1:02}.{n % 12 + 1:02}.2024,'
    f"{('open', 'Open', 'closed')[n % 3]},{(-99, 4, 5, 3, 1, 2)[n % 6]}\n"
    for n in range(1, 61)
)
SHOPS = "shop_id,region\n1,North\n2,South\n3,West\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("model")
    (made / "orders.csv").write_text(ORDERS)
    (made / "shops.csv").write_text(SHOPS)
    (made / "empty.csv").write_text("")
    (made / "notes.txt").write_text("order_id\n")
    (made / "many").mkdir()
    (made / "many" / "orders.csv").write_text(ORDERS)
    (made / "many" / "shops.csv").write_text(SHOPS)
    with closing(sqlite3.connect(made / "staff.db")) as staff:
        staff.executescript(
            "CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT, manager_id INTEGER);"
            "INSERT INTO people VALUES (1, 'Ann', NULL), (2, 'Bea', 1), (3, 'Cy', 1);"
            'CREATE TABLE "\x1b[2Jlogs" ("\x1b]0;owned\x07a" TEXT);'
        )
    return made


def words(text: str) -> str:
    return " ".join(text.split())


def test_a_screen_tells_rows_fields_relationships_metrics_and_the_calendar(folder: Path) -> None:
    ended = inside("model", "orders.csv", "shops.csv", cwd=folder)
    assert (ended.code, ended.err) == (0, "")
    said = words(ended.out)
    for text in (
        "a row is an order; known by order_id; dated by placed",
        "fee measure real USD text read as numbers, a comma between thousands",
        '"open" is "Open"',
        "-99 is missing",
        "orders refer to a shop (shop_id -> shop_id; many): found in the data",
        "sum of fee; in USD; inferred",
        "today is the last date in the data",
    ):
        assert text in said, text
    assert "\x1b" not in ended.out


def test_a_narrow_screen_loses_nothing(folder: Path) -> None:
    ended = inside("model", "orders.csv", "shops.csv", cwd=folder, env=environment(COLUMNS="34"))
    assert all(len(line) <= 34 for line in ended.out.splitlines())
    for text in ("order_id", "a comma between thousands", "orders refer to a shop", "sum of fee"):
        assert text in words(ended.out)


@pytest.mark.long("whole runs of the command")
def test_a_terminal_shows_it_in_colour(folder: Path) -> None:
    env = environment(TERM="xterm-256color")
    del env["NO_COLOR"]
    child = pexpect.spawn(
        sys.executable, ["-m", "flows", "model", "shops.csv"], cwd=str(folder), env=env,
        encoding="utf-8", timeout=60, dimensions=(60, 100),
    )  # fmt: skip
    child.expect("a row is a shop")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    assert "\x1b[" in (child.before or "")


def test_names_from_a_file_command_no_terminal_and_a_hierarchy_is_told(folder: Path) -> None:
    ended = inside("model", "staff.db", cwd=folder)
    assert ended.code == 0
    assert not {"\x1b", "\x07"} & set(ended.out)
    assert "people refer to a person, its manager" in words(ended.out)
    assert "the other way its reports" in words(ended.out)


def test_json_is_the_whole_model(folder: Path) -> None:
    found = inside("model", "orders.csv", "shops.csv", "--json", cwd=folder).json()
    model = SemanticModel.model_validate(found)
    assert [each.name for each in model.datasets] == ["orders", "shops"]
    assert model.relationships[0].to == "shops"


def test_a_folder_of_files_is_looked_at_together(folder: Path) -> None:
    found = inside("model", "many", "--json", cwd=folder).json()
    assert {each["noun"] for each in found["datasets"]} == {"order", "shop"}
    assert len(found["relationships"]) == 1


def test_a_file_is_written_and_read_to_the_same(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "model.yaml"
    ended = inside("model", "orders.csv", "shops.csv", "--out", str(out), cwd=folder)
    assert (ended.code, ended.out) == (0, f"{out}: written\n")
    shown = inside("model", "orders.csv", "shops.csv", "--json", cwd=folder).json()
    again = inside("model", "orders.csv", "shops.csv", "--declared", str(out), "--json", cwd=folder)
    assert again.json() == shown
    for field in (each for dataset in shown["datasets"] for each in dataset["fields"]):
        field |= {"least": None, "most": None}  # what lies in the data is not what they mean
    assert read_model(out).model_dump(mode="json") == shown


def test_a_file_that_is_there_is_kept_unless_it_is_said(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "model.yaml"
    out.write_text("mine")
    ended = inside("model", "orders.csv", "--out", str(out), cwd=folder)
    assert ended.code == 2
    assert "is there already; --force writes over it" in ended.err
    assert out.read_text() == "mine"
    ended = inside("model", "orders.csv", "--out", str(out), "--force", cwd=folder)
    assert (ended.code, ended.out) == (0, f"{out}: written over the one that was there\n")
    assert list(tmp_path.iterdir()) == [out]


def test_a_place_that_cannot_be_written_leaves_nothing(folder: Path, tmp_path: Path) -> None:
    for out, says in (
        (tmp_path / "no" / "m.yaml", "there is no folder"),
        (tmp_path / "m.txt", "a model's name ends in .yaml or .yml"),
        (Path("/proc/m.yaml"), "cannot be written"),
    ):
        ended = inside("model", "orders.csv", "--out", str(out), cwd=folder)
        assert ended.code == 2
        assert says in ended.err
    assert list(tmp_path.iterdir()) == []


def test_long_lists_of_values_are_not_written_and_stay_known(tmp_path: Path) -> None:
    rows = "".join(f"town {n % 300},{n}\n" for n in range(900))
    (tmp_path / "visits.csv").write_text(f"town,n\n{rows}")
    assert inside("model", "visits.csv", "--out", "m.yaml", cwd=tmp_path).code == 0
    assert "town 7" not in (tmp_path / "m.yaml").read_text()
    found = inside("model", "visits.csv", "--declared", "m.yaml", "--json", cwd=tmp_path).json()
    assert len(found["datasets"][0]["fields"][0]["values"]) == 300


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("nowhere.csv",), "nowhere.csv"),
        (("empty.csv",), "empty.csv is empty"),
        (("postgresql://me@127.0.0.1:1/shop",), "127.0.0.1"),
        (("orders.csv", "--declared", "nowhere.yaml"), "nowhere.yaml"),
        (("orders.csv", "--dictionary", "nowhere.csv"), "nowhere.csv"),
        ((), "FILE"),
    ],
)
def test_what_cannot_be_read_is_said(folder: Path, arguments: tuple[str, ...], says: str) -> None:
    ended = inside("model", *arguments, cwd=folder)
    assert ended.code == 2
    assert says in ended.err
    assert "Traceback" not in ended.err
    assert ended.out == ""


def test_a_file_that_does_not_fit_is_told_with_its_line(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "ours.yaml"
    path.write_text(
        "version: '0.2.0.dev0'\nname: shop\ndatasets:\n  - name: odrers\n    source: odrers\n"
    )
    ended = inside("model", "orders.csv", "--declared", str(path), cwd=folder)
    assert ended.code == 2
    assert "ours.yaml:" in ended.err
    assert "orders" in ended.err


@pytest.mark.long("whole runs of the command")
def test_ctrl_c_ends_it_and_leaves_no_half_file(tmp_path: Path) -> None:
    rows = "".join(f"{n},{n * 7 % 1000},name {n}\n" for n in range(1_500_000))
    (tmp_path / "big.csv").write_text(f"id,x,name\n{rows}")
    running = subprocess.Popen(
        [sys.executable, "-m", "flows", "model", "big.csv", "--out", "m.yaml"],
        cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    while running.poll() is None and not children_of(running.pid):
        time.sleep(0.05)  # until it has a process that reads the data
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)
    if running.returncode == 0:
        pytest.skip("it was done before it could be stopped")
    assert running.returncode == 130
    assert "Traceback" not in err
    assert "written" not in out
    assert [each.name for each in tmp_path.iterdir() if "m.yaml" in each.name] == []
