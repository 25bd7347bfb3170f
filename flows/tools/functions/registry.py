"""The tools of a run: those that are shipped, those of the library, and those that it made."""

from __future__ import annotations

import fcntl
import json
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from flows.core.artifacts import write_whole
from flows.core.function_tool import FunctionTool
from flows.errors import ToolError, nearest
from flows.tools.functions.document import describe_tool, document_of
from flows.tools.functions.library import ToolLibrary, write_if_other
from flows.tools.functions.search import ToolIndex, ToolMatch
from flows.tools.functions.shipped import shipped_tools
from flows.tools.functions.testing import ToolTests

REGISTRY: Final = "tools"  # the registry's folder in that of a run
SCHEMAS: Final = "function_to_schema.json"
_MADE: Final = "made"
_COUNTS: Final = "counts.json"
_LOCK: Final = ".lock"


class ToolRegistry:
    """Tools by name. What is in the folders is looked at anew each time it is asked for something,
    so that a tool that was registered meanwhile, here or by another process, is there.

    Of a name, what the run made comes before the library; a shipped tool keeps its name. `folder`
    gets the schemas of all, and a document of each. `faults` names what was left out, and why.
    """

    def __init__(
        self,
        folder: Path,
        library: ToolLibrary | None = None,
        shipped: Sequence[FunctionTool] | None = None,
    ) -> None:
        self.folder = folder
        self.library = library
        self.made = ToolLibrary(folder / _MADE)
        self.shipped = tuple(shipped_tools() if shipped is None else shipped)
        self.faults: tuple[str, ...] = ()

    def tools(self) -> tuple[FunctionTool, ...]:
        """The newest version of each tool, by name."""
        counts = self._counts()
        found = {each.name: _counted(each, counts) for each in self.shipped}
        reserved, faults = set(found), list[str]()
        for each in (*self._of_library(), *self.made.tools()):
            if each.name in reserved:
                faults.append(f"{each.name} ({each.origin}): a shipped tool has that name")
            else:
                found[each.name] = each
        of_library = self.library.faults if self.library is not None else ()
        self.faults = (*of_library, *self.made.faults, *faults)
        return tuple(found[name] for name in sorted(found))

    def find(self, name: str) -> FunctionTool:
        """The tool of that name. Errors: `ToolError` that names the nearest."""
        known = {each.name: each for each in self.tools()}
        if name not in known:
            meant = nearest(name, known)
            hint = f"; did you mean: {meant}" if meant else ""
            raise ToolError(f"there is no tool {name!r}{hint}")
        return known[name]

    def allowed(self, phase: str, names: Collection[str] | None = None) -> tuple[FunctionTool, ...]:
        """The tools that the phase may call; with `names`, of those."""
        return tuple(
            each
            for each in self.tools()
            if phase in each.phases and (names is None or each.name in names)
        )

    def search(self, words: str, phase: str = "", limit: int = 5) -> tuple[ToolMatch, ...]:
        """The tools whose documents fit the words, the best first."""
        return ToolIndex(self.tools()).search(words, phase, limit)

    def register(self, tool: FunctionTool, tests: ToolTests) -> FunctionTool:
        """Add a tool whose tests passed; returns it with its version.

        Errors: `ToolError` for other outcomes, and for the name of a shipped tool.
        """
        if any(each.name == tool.name for each in self.shipped):
            raise ToolError(f"a tool named {tool.name} is shipped; give yours another name")
        kept = [each for each in self._of_library() if each.name == tool.name]
        if kept and kept[-1].source == tool.source:
            return kept[-1]
        made = self.made.add(tool, tests, after=kept[-1].version if kept else 0)
        self.write()
        return made

    def promote(self, name: str) -> FunctionTool:
        """Keep a tool that the run made in the library, with its counts. Errors: `ToolError`."""
        if self.library is None:
            raise ToolError("there is no library to keep tools in")
        return self.library.take(self.made, name)

    def count(self, uses: Mapping[str, int], successes: Mapping[str, int] = {}) -> int:
        """Add calls of tools by name, and how many of them went well, where each tool is kept;
        returns how many were added. Names of no tool are left out. Errors: `ToolError`."""
        known = {each.name: each for each in self.tools()}
        shipped: dict[str, tuple[int, int]] = {}
        for name in sorted(uses.keys() & known.keys()):
            calls = uses[name], min(successes.get(name, 0), uses[name])
            for place in (self.made, self.library):
                if place is not None and _holds(place, known[name]):
                    place.count(name, known[name].version, uses=calls[0], successes=calls[1])
                    break
            else:
                shipped[name] = calls
        self._count_shipped(shipped)
        self.write()
        return sum(uses[name] for name in uses.keys() & known.keys())

    def write(self) -> None:
        """Write the schemas of all tools, and the document of each. Errors: `ToolError`."""
        tools = self.tools()
        schemas = {each.name: describe_tool(each).function_dict() for each in tools}
        texts = {f"{each.name}.md": document_of(each) for each in tools}
        texts[SCHEMAS] = json.dumps(schemas, indent=2, ensure_ascii=False) + "\n"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            for each in self.folder.glob("*.md"):
                if each.name not in texts:
                    each.unlink(missing_ok=True)
            for name, text in texts.items():
                write_if_other(self.folder / name, text.encode())
        except OSError as error:
            raise ToolError(f"{self.folder} cannot be written: {error.strerror}") from error

    def _of_library(self) -> tuple[FunctionTool, ...]:
        return self.library.tools() if self.library is not None else ()

    def _counts(self) -> dict[str, list[int]]:
        """Uses and successes of shipped tools in this run."""
        try:
            found: Any = json.loads((self.folder / _COUNTS).read_bytes())
        except (OSError, ValueError, RecursionError):
            return {}
        known = found.items() if isinstance(found, dict) else ()
        return {name: each for name, each in known if _is_count(each)}

    def _count_shipped(self, calls: Mapping[str, tuple[int, int]]) -> None:
        if not calls:
            return
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with (self.folder / _LOCK).open("ab") as file:
                fcntl.flock(file, fcntl.LOCK_EX)
                counts = self._counts()
                for name, (uses, successes) in calls.items():
                    before = counts.get(name, [0, 0])
                    counts[name] = [before[0] + uses, before[1] + successes]
                write_whole(self.folder / _COUNTS, json.dumps(counts, indent=2).encode())
        except OSError as error:
            raise ToolError(f"{self.folder} cannot be written: {error.strerror}") from error


def _holds(place: ToolLibrary, tool: FunctionTool) -> bool:
    same = (each.source for each in place.tools() if each.name == tool.name)
    return tool.source in same


def _is_count(found: Any) -> bool:
    return isinstance(found, list) and [type(each) for each in found] == [int, int]


def _counted(tool: FunctionTool, counts: dict[str, list[int]]) -> FunctionTool:
    if tool.name not in counts:
        return tool
    uses, successes = counts[tool.name]
    return tool.model_copy(update={"uses": uses, "successes": successes})
