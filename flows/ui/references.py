"""References to cells in what a screen shows: the values stand in their place."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from pydantic import ValidationError

from flows.core.artifacts import open_file
from flows.core.events import ArtifactSaved
from flows.data.answers.citations import NamedResult
from flows.data.answers.rendering import render
from flows.data.tables import ResultTable

# A larger result is not read for a line of a screen; its references stay as they are written.
_BYTES_READ: Final = 16_000_000


class References:
    """Renders texts from the tables that a run has kept so far; a file is read when it is needed.

    What cannot be resolved stays as it is written.
    """

    def __init__(self) -> None:
        self.folder = Path()
        self._paths: dict[str, str] = {}
        self._read: dict[str, NamedResult] = {}

    def add(self, saved: ArtifactSaved) -> None:
        """Know a file of the run; those that are no tables are never read."""
        if saved.path.endswith(".json"):
            self._paths[saved.name] = saved.path

    def render(self, text: str) -> str:
        """The text with the values of the cells that it refers to."""
        if "{{" not in text:
            return text
        for name in [each for each in self._paths if each not in self._read]:
            table = self._table(self._paths[name])
            if table is None:
                del self._paths[name]
            else:
                self._read[name] = NamedResult.of_table(name, table)
        results = {name: self._read[name] for name in self._paths}
        return render(text, results, strict=False).text

    def _table(self, path: str) -> ResultTable | None:
        """The table in a file; None where there is none that can be read."""
        try:
            with open_file(self.folder, path) as file:
                content = file.read(_BYTES_READ + 1)
            if len(content) > _BYTES_READ:
                return None
            return ResultTable.model_validate_json(content)
        except (OSError, ValidationError):
            return None
