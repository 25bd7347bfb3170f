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


@cache
def shipped_tools() -> tuple[FunctionTool, ...]:
    """The tools, by name. Errors: `ConfigError` for a module that is no tool."""
    return _read(_TOOLS)


@cache
def shipped_checks() -> tuple[FunctionTool, ...]:
    """The unit tests of phases, by name; each is a tool, too. Errors: as above."""
    return _read(_CHECKS)


def _read(kind: str) -> tuple[FunctionTool, ...]:
    package = prediction.__name__
    siblings = (f"{package}.{_TOOLS}", f"{package}.{_CHECKS}")
    texts = {f"{package}.{part}": _texts(part) for part in (_TOOLS, _CHECKS)}
    modules = {
        f"{name}.{stem}": text for name, found in texts.items() for stem, text in found.items()
    }
    tools = []
    for stem, text in texts[f"{package}.{kind}"].items():
        file = f"{kind}/{stem}.py"
        tool = parse_tool(text, SHIPPED, file=file, siblings=siblings)
        if tool.name != stem:
            raise ConfigError(
                f"the tool is {tool.name}; its module has that name too", place=Place(file)
            )
        tools.append(tool.model_copy(update={"source": inlined(text, file, modules)}))
    return tuple(tools)


def _texts(kind: str) -> dict[str, str]:
    """The text of each module of the package, by the module's name."""
    folder = Path(next(iter(prediction.__path__))) / kind
    files = sorted(each for each in folder.glob("*.py") if not each.name.startswith("_"))
    return {each.stem: each.read_text(encoding="utf-8") for each in files}
