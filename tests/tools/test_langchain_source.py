"""LangChain's tools as functions of a run, with their own schemas."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import flows
from flows.errors import ConfigError
from flows.tools.langchain import LangChainTool, as_tool
from flows.tools.langchain_tools import WikipediaQueryRun
from flows.tools.sources.langchain import LangChainSource, ToolFunction
from flows.tools.tool import Tool

HARVEST = """\
from enum import Enum

from langchain_core.tools import StructuredTool
from pydantic import BaseModel, Field

from flows.tools.langchain import Backend


class Unit(Enum):
    KILO = "kilo"
    TONNE = "tonne"


class Crop(BaseModel):
    name: str


class HarvestInput(BaseModel):
    crop: Crop = Field(description="what grew")
    year: int = Field(description="four digits")
    unit: Unit = Unit.TONNE


def weigh(crop, year, unit):
    if year < 1900:
        raise ValueError("nobody knows")
    return {"crop": crop.name, "year": year, "unit": unit.value}


class Harvest(BaseModel):
    def make(self):
        return Backend(
            StructuredTool.from_function(
                func=weigh, name="weigh", description="The harvest of a year.",
                args_schema=HarvestInput,
            )
        )
"""
RUN = """\
_target_: tests.tools.call_flow.CallFunctions
functions:
  sources:
    farm:
      _target_: functions.langchain
      tools:
        harvest: {_target_: farm.Harvest}
"""


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "farm.py").write_text(HARVEST)
    (tmp_path / "run.yaml").write_text(RUN)


def test_a_tool_of_ones_own_is_found_and_called_by_its_schema() -> None:
    crop = {"name": "rye"}
    asked = [
        ("farm/harvest", {"crop": crop, "year": 2025}),
        ("farm/harvest", {"crop": crop, "year": 2025, "unit": "ton"}),
        ("farm/harvest", {"crop": crop, "year": 1800}),
    ]
    result = flows.run(
        "run.yaml",
        inputs={"question": "how large was the harvest", "calls": asked},
        trust=("tests", "farm"),
    )
    assert result.outputs["found"] == ["farm/harvest"]
    told, wrong, failed = result.outputs["observations"]
    assert json.loads(told.text) == {"crop": "rye", "year": 2025, "unit": "tonne"}
    assert [each.code for each in told.cautions] == ["untrusted"]
    assert "argument 'unit': 'ton' is not one of" in wrong.text
    assert "nobody knows" in failed.text


def test_a_tool_that_nobody_trusts_is_not_imported() -> None:
    with pytest.raises(ConfigError, match="--trust farm"):
        flows.run("run.yaml", trust=("tests",))


def test_a_tool_that_is_made_late_has_the_arguments_that_it_tells() -> None:
    tool = as_tool(WikipediaQueryRun())
    assert isinstance(tool, LangChainTool)
    assert isinstance(tool, Tool)
    told = ToolFunction(tool, "wiki").description
    assert told.id == "wiki/wikipedia"
    assert told.parameters == {
        "type": "object",
        "properties": {"query": {"type": "string", "description": "query to look up on wikipedia"}},
        "required": ["query"],
    }


def test_what_is_no_tool_is_refused() -> None:
    config = LangChainSource.Config(tools={"farm": {}})
    with pytest.raises(ConfigError, match="farm is no tool"):
        LangChainSource(config, {"farm": 3})
