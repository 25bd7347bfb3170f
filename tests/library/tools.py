"""LangChain tools as a user writes them."""

from __future__ import annotations

from typing import Any, Literal

from langchain_core.tools import BaseTool
from langchain_core.tools.base import ArgsSchema
from pydantic import BaseModel, Field


class HarvestArguments(BaseModel):
    crop: str = Field(description="which crop")
    years: list[int]
    unit: Literal["ton", "bushel"] = "ton"


class Harvest(BaseTool):
    name: str = "harvest"
    description: str = "Looks up a harvest."
    args_schema: type[BaseModel] = HarvestArguments

    def _run(self, crop: str, years: list[int], unit: str = "ton") -> str:
        return f"{crop} in {unit}: {', '.join(str(year) for year in years)}"


class Former(BaseTool):
    """One whose arguments are a JSON schema, with names that models use themselves."""

    name: str = "former"
    description: str = "Forms a text."
    args_schema: ArgsSchema = {  # noqa: RUF012 - as LangChain's users write it
        "type": "object",
        "properties": {"json": {"type": "boolean"}, "copy": {"type": "integer"}},
        "required": ["copy"],
    }

    def _run(self, **given: Any) -> str:
        return repr(given)


class Broken(BaseTool):
    name: str = "broken"
    description: str = "Is out of order."

    def _run(self) -> str:
        raise ValueError("out of order")


class NoTool(BaseModel):
    pass
