"""Entries of a task list as plain data brings them, of any model's list."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from flows.semantics.findings import Task

# The same words everywhere in this package: a task of a list.
Entry = Task


def entries_of(values: Any) -> list[Entry]:
    """The tasks of a list, as values or as plain data."""
    found: Sequence[Any] = values or ()
    return [each if isinstance(each, Task) else Task.model_validate(dict(each)) for each in found]


def plain_task(task: Entry) -> dict[str, Any]:
    """A task as a reply gives it."""
    return task.model_dump(mode="json", exclude=None if task.request else {"request"})


def same_words(text: str) -> str:
    """A description without what tells no two of them apart."""
    return " ".join(re.findall(r"[^\W_]+", text.casefold()))
