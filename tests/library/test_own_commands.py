"""Functions of a run file's own as commands of an agent: found, called, their numbers cited."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from flows.library.blocks.keep_outputs import is_one_table, tables_of
from tests.cli.inside import inside

TOOLS = '''\
def add_tax(amount: float, rate: float = 0.19) -> float:
    """Adds the value added tax to an amount."""
    return round(amount * (1 + rate), 2)


def delete_order(order: int) -> int:
    """Deletes an order, and gives its total."""
    return order


def range_of(numbers: list[float]) -> dict[str, Any]:
    """The smallest and the largest of some numbers."""
    return {"least": min(numbers), "most": max(numbers), "all": numbers}
'''
AGENT = """\
defaults: [{model: offline}, _self_]
_target_: autogpt
input_interface: {goal: str}
output_interface: [answer, citations, traced]
subflows_config:
  Controller: {_target_: controller}
  Executor:
    _target_: executor
    subflows_config:
      add_tax: {_target_: ./tools.py:add_tax%s}
      delete_order: {_target_: ./tools.py:delete_order}
      range_of: {_target_: ./tools.py:range_of}
      finish: {_target_: finish}
topology:
  - {goal: Think, flow: Controller}
  - goal: Act
    flow: Executor
    input_interface: {keys_to_rename: {command: branch, command_args: branch_input_data}}
"""


def ask(folder: Path, goal: str, more: str = "") -> dict[str, Any]:
    (folder / "tools.py").write_text("from typing import Any\n\n\n" + TOOLS)
    (folder / "agent.yaml").write_text(AGENT % more)
    trusted = ("--trust", "./tools.py", "--json", "human=never")
    ended = inside("run", "agent.yaml", f"goal={goal}", *trusted, cwd=folder)
    assert ended.code == 0, ended.err
    outputs: dict[str, Any] = ended.json()["outputs"]
    return outputs


@pytest.mark.long("a whole run of an agent, with its answer cited")
def test_a_pure_function_is_found_though_its_name_begins_with_add(tmp_path: Path) -> None:
    """And each number that it gives is pointed to its cell."""
    outputs = ask(tmp_path, "How much is 250 with the tax?")
    assert "297.5" in outputs["answer"]
    cited = {each["text"]: each for each in outputs["citations"]}
    assert cited["297.5"]["origin"] == "cell"
    assert (cited["297.5"]["column"], cited["297.5"]["value"]) == ("add_tax", 297.5)
    assert outputs["traced"] == {"numbers": 2, "traced": 2, "share": 1.0}
    asked = ("goal=How much is 250 with the tax?", "--trust", "./tools.py", "human=never")
    shown = inside("run", "agent.yaml", *asked, cwd=tmp_path).out
    assert "297.5" in shown
    assert '{"add_tax"' not in shown  # the table says it, once


@pytest.mark.parametrize(
    ("goal", "more"),
    [
        ("What is the total of the order 17?", ""),  # what deletes is not called for a look
        ("How much is 250 with the tax?", ", effect: once"),  # nor what is declared to write
    ],
)
def test_what_writes_is_not_called_by_likeness(tmp_path: Path, goal: str, more: str) -> None:
    assert ask(tmp_path, goal, more)["answer"].startswith("Not answered")


def test_what_a_function_returns_is_kept_as_tables() -> None:
    returned = {
        "low": 1, "of": {"share": 0.5, "unit": "m"}, "why": None, "EARLY_EXIT": 3,
        "rows": [{"n": 1, "place": {"x": 2.5}}, {"n": 2, "tags": [1]}], "all": [3, 4.5],
        "words": ["a"], "none": [],
    }  # fmt: skip
    single, rows, numbers = tables_of(returned)
    assert single.columns == ("low", "of.share", "of.unit", "why")
    assert single.rows == ((1, 0.5, "m", None),)
    assert single.types == ("integer", "real", "text", "other")
    assert rows.columns == ("n", "place.x", "tags")
    assert rows.rows == ((1, 2.5, None), (2, None, json.dumps([1])))
    assert (numbers.columns, numbers.rows) == (("all",), ((3,), (4.5,)))
    assert list(tables_of({"said": "a text", "sure": True})) == []


@pytest.mark.parametrize(
    ("returned", "one"),
    [
        ({"low": 1, "of": {"share": 0.5}}, True),
        ({"numbers": [1, 2.5]}, True),
        ({"low": 1, "all": [1, 2]}, False),  # two tables, of which the screen shows the first
        ({"observation": "said otherwise", "n": 1}, False),
    ],
)
def test_a_table_stands_for_what_was_returned_where_it_holds_all(
    returned: dict[str, Any], one: bool
) -> None:
    assert is_one_table(returned) is one
