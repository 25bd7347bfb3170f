"""Variables as plain data: the text of this module runs in the sandbox, after a step's own code."""

import json
import math
from pathlib import Path
from typing import Any


def plain(value: Any, name: str) -> Any:
    """A value as JSON has it: frames as lists of rows, dates as text, NaN as null."""
    if hasattr(value, "to_dict") and hasattr(value, "columns"):
        value = value.to_dict("records")
    elif hasattr(value, "tolist"):
        value = value.tolist()
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): plain(each, name) for key, each in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(each, name) for each in value]
    if hasattr(value, "isoformat"):
        return None if value != value else value.isoformat()
    raise TypeError(f"{name} holds a {type(value).__name__}, which is no plain data")


def hand_over(variables: dict[str, Any], names: list[str], path: str) -> None:
    """Write the named variables as one JSON object. Raises NameError for one that is missing."""
    for name in names:
        if name not in variables:
            raise NameError(f"the code made no variable {name!r}")
    found = {name: plain(variables[name], name) for name in names}
    Path(path).write_text(json.dumps(found, allow_nan=False), encoding="utf-8")
