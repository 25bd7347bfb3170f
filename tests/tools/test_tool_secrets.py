"""A tool that says its key: in what it gives, and in what goes wrong."""

from __future__ import annotations

import asyncio
import traceback

import pytest
from langchain_core.tools import tool

from flows.errors import ToolError
from flows.tools.langchain import LangChainTool
from tests.cli.canaries import canary, forms

KEY = canary("tool")


@tool
def search(query: str) -> str:
    """Looks something up with a key of its own."""
    if query == "fail":
        raise RuntimeError(f"401 for Bearer {KEY}") from ValueError(KEY)
    return f"asked with {KEY}"


@pytest.fixture
def asking(monkeypatch: pytest.MonkeyPatch) -> LangChainTool:
    monkeypatch.setenv("SEARCH_API_KEY", KEY)
    monkeypatch.setattr("flows.config.redaction._forms", None)
    return LangChainTool(LangChainTool.Config(), search)


def test_what_it_gives(asking: LangChainTool) -> None:
    observation = asyncio.run(asking.run({"query": "any"}))
    assert observation.text == "asked with ***"


def test_what_goes_wrong(asking: LangChainTool) -> None:
    with pytest.raises(ToolError) as caught:
        asyncio.run(asking.run({"query": "fail"}))
    said = "".join(traceback.format_exception(caught.value))
    assert "401 for Bearer ***" in said
    assert not any(form in said for form in forms(KEY))
