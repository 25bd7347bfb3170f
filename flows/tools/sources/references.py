"""References inside of a document of plain data, such as `#/components/schemas/Pet`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import unquote

_MOST_STEPS: Final = 32  # references that lead to references


@dataclass(frozen=True)
class SchemaReferences:
    """The document that references lead into. Those to another document are never followed:
    nothing is fetched."""

    values: Mapping[str, Any]

    def resolve(self, value: Any) -> Mapping[str, Any]:
        """The object that a value is, or refers to; an empty one where it leads nowhere."""
        for _ in range(_MOST_STEPS):
            if not isinstance(value, Mapping):
                return {}
            if not isinstance(reference := value.get("$ref"), str):
                return value
            value = self._at(reference)
        return {}

    def _at(self, reference: str) -> Any:
        """The value at a reference; None where there is none."""
        if not reference.startswith("#/"):
            return self.values if reference == "#" else None
        value: Any = self.values
        for step in reference[2:].split("/"):
            key = unquote(step).replace("~1", "/").replace("~0", "~")
            if isinstance(value, list) and key.isdigit() and int(key) < len(value):
                value = value[int(key)]
            elif isinstance(value, Mapping):
                value = value.get(key)
            else:
                return None
        return value
