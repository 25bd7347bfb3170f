"""Where the code of a step stands: its lines are those of the run file, or of a file of its own."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from flows.core.sandbox import CodeFault
from flows.errors import Place
from flows.library.blocks.outcome import fault_text

_FRAME = re.compile(r'File "<code(?: \d+)?>", line (\d+)')


@dataclass(frozen=True, slots=True)
class CodeSource:
    """The file of the code, the line there of its first one (from 1), and its indentation."""

    file: str
    first: int = 1
    indent: int = 0

    @classmethod
    def of(cls, place: Place | None, code: str) -> CodeSource | None:
        """Where code that begins at a place in a YAML file stands; None if its lines are not lines
        of the file, as those of a folded text, or the place is in no file."""
        if place is None or place.line is None:
            return None
        try:
            written = Path(place.origin).read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeError):
            return None
        lines = code.splitlines()
        for first in (place.line + 1, place.line):  # below a `|`, or beside the key
            there = written[first - 1 : first - 1 + len(lines)]
            if len(there) < len(lines):
                continue
            if all(line in shown for line, shown in zip(lines, there, strict=True)):
                known = next((pair for pair in zip(lines, there, strict=True) if pair[0]), None)
                return cls(place.origin, first, known[1].index(known[0]) if known else 0)
        return None

    def place(self, fault: CodeFault) -> Place | None:
        """Where the fault is in the file."""
        if fault.line is None:
            return None
        column = None if fault.column is None else fault.column + self.indent
        return Place(self.file, fault.line + self.first - 1, column)

    def told(self, fault: CodeFault) -> str:
        """The fault and its traceback, with lines of the file."""
        place = self.place(fault)
        if place is None:
            return f"{fault_text(fault)}\n{fault.traceback}".strip()
        where = f"{place.origin}:{place.line}" if place.column is None else str(place)
        return f"{fault.type}: {fault.message} ({where})\n{self._mapped(fault.traceback)}".strip()

    def _mapped(self, traceback: str) -> str:
        def frame(found: re.Match[str]) -> str:
            return f'File "{self.file}", line {int(found[1]) + self.first - 1}'

        return _FRAME.sub(frame, traceback)
