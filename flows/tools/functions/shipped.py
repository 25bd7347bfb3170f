"""The tools and checks that come with the product, read from the modules that hold them."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

from flows.analysis import prediction
from flows.core.function_tool import FunctionTool
from flows.errors import ConfigError, Place
from flows.tools.functions.parse import parse_tool
from flows.tools.functions.source import inlined

SHIPPED: Final = "shipped"
_TOOLS: Final = "tools"
_CHECKS: Final = "checks"
_COMPONENTS: Final = "components"


@cache
def shipped_tools() -> tuple[FunctionTool, ...]:
    """The tools, by name. Errors: `ConfigError` for a module that is no tool."""
    return _read(_TOOLS)


@cache
def shipped_checks() -> tuple[FunctionTool, ...]:
    """The unit tests of phases, by name; each is a tool, too. Errors: as above."""
    return _read(_CHECKS)


@cache
def shipped_components() -> tuple[FunctionTool, ...]:
    """What the tools of the model phase are made of, by name; no plan calls them."""
    return _read(_COMPONENTS)


def read_tool(text: str, file: str, origin: str) -> FunctionTool:
    """The tool of a module that may import from those that are shipped: what it imports is put in.

    Errors: `ConfigError` with what is wrong, each fault with its line.
    """
    modules = _modules()
    siblings = {each.rpartition(".")[0] for each in modules}
    tool = parse_tool(text, origin, file=file, siblings=siblings)
    return tool.model_copy(update={"source": inlined(text, file, modules)})


def _read(kind: str) -> tuple[FunctionTool, ...]:
    tools = []
    for stem, text in _texts(kind).items():
        tool = read_tool(text, f"{kind}/{stem}.py", SHIPPED)
        if tool.name != stem:
            problem = f"the tool is {tool.name}; its module has that name too"
            raise ConfigError(problem, place=Place(f"{kind}/{stem}.py"))
        tools.append(tool)
    return tuple(tools)


@cache
def _modules() -> dict[str, str]:
    """The texts of all modules by their dotted names."""
    return {
        f"{prediction.__name__}.{kind}.{stem}": text
        for kind in (_TOOLS, _CHECKS, _COMPONENTS)
        for stem, text in _texts(kind).items()
    }


def _texts(kind: str) -> dict[str, str]:
    """The text of each module of the package, by the module's name."""
    folder = Path(next(iter(prediction.__path__))) / kind
    files = sorted(each for each in folder.glob("*.py") if not each.name.startswith("_"))
    return {each.stem: each.read_text(encoding="utf-8") for each in files}
