"""What the agents that write code share: their replies, faults and new columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from flows.core.flow import Flow
from flows.core.observation import Preview
from flows.core.run import Run
from flows.core.sandbox import CodeFault
from flows.data.meaning.dictionary import DataDictionary, DictionaryEntry, shortened
from flows.errors import CommandError
from flows.library.analyst.action_calls import ActionFailed, ask_action
from flows.library.blocks.outcome import fault_text
from flows.library.blocks.reading import ReplyProblem

_ROWS_SHOWN: Final = 5


class Cannot(CommandError):
    """The model says that a task cannot be done, and why."""


def read_code(reply: Mapping[str, Any]) -> str:
    """The code of a reply. Errors: `ReplyProblem`; `Cannot` when the model says so."""
    return _read_text(reply, "code", "Python code")


def read_plan(reply: Mapping[str, Any]) -> tuple[str, ...]:
    """The steps of a plan. Errors: as of `read_code`."""
    _check_cannot(reply, "plan")
    plan = reply.get("plan")
    steps = [plan] if isinstance(plan, str) else plan
    if not isinstance(steps, list) or not steps:
        raise ReplyProblem('the object must have "plan" with a list of steps, or "cannot" with why')
    return tuple(" ".join(str(each).split()) for each in steps)


def _read_text(reply: Mapping[str, Any], key: str, what: str) -> str:
    _check_cannot(reply, key)
    text = reply.get(key)
    if not isinstance(text, str) or not text.strip():
        raise ReplyProblem(f'the object must have "{key}" with {what}, or "cannot" with a reason')
    return text


def _check_cannot(reply: Mapping[str, Any], key: str) -> None:
    cannot = reply.get("cannot")
    if not reply.get(key) and isinstance(cannot, str) and cannot.strip():
        raise Cannot(f"this cannot be done: {cannot}")


def told_fault(fault: CodeFault) -> str:
    """A fault as a model is told of it, with its traceback."""
    return f"{fault_text(fault)}\n{fault.traceback}".strip()


def rows_words(table: Preview | None) -> str:
    """How large a result is, in words."""
    if table is None:
        return "The code ran and made no table."
    rows, columns = table.total_rows, len(table.columns)
    return (
        f"{rows:,} row{'s' * (rows != 1)} with {columns} column{'s' * (columns != 1)}: "
        f"{', '.join(table.columns[:12])}{', ...' if columns > 12 else ''}."
    )


async def with_new_columns(
    run: Run,
    action: Flow,
    asked: Mapping[str, str],
    known: DataDictionary | None,
    new: Sequence[str],
    table: Preview | None,
    corrections: int,
) -> DataDictionary | None:
    """The dictionary with what the new columns are, in the words of a model. Without an answer that
    can be used it stays what it is. `asked` are the task and the code that made them."""
    if known is None or table is None or not new:
        return known
    places = [table.columns.index(name) for name in new if name in table.columns]
    inputs = {
        **asked,
        "known": known,
        "columns": tuple(table.columns[at] for at in places),
        "types": tuple(table.types[at] for at in places),
        "rows": tuple(tuple(row[at] for at in places) for row in table.rows[:_ROWS_SHOWN]),
    }
    try:
        told = await ask_action(run, action, inputs, lambda reply: _told(reply, new), corrections)
    except ActionFailed as error:
        run.notice(f"{error}; the new columns are described by what made them")
        return known
    return DataDictionary(entries=tuple(_described(each, told) for each in known.entries))


def _told(reply: Mapping[str, Any], new: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Description and unit of each new column that a reply names. Errors: `ReplyProblem`."""
    columns = reply.get("columns")
    if not isinstance(columns, list) or not all(isinstance(each, dict) for each in columns):
        raise ReplyProblem('"columns" must be a list of objects')
    found = {
        str(each.get("name")): (str(each.get("description") or ""), str(each.get("unit") or ""))
        for each in columns
    }
    missing = [name for name in new if not found.get(name, ("", ""))[0].strip()]
    if missing:
        raise ReplyProblem(f"there is no description of the column {missing[0]!r}")
    return {name: found[name] for name in new}


def _described(entry: DictionaryEntry, told: Mapping[str, tuple[str, str]]) -> DictionaryEntry:
    if entry.column not in told:
        return entry
    description, unit = told[entry.column]
    said = {"description": shortened(description), "unit": unit[:40] or entry.unit}
    return entry.model_copy(update=said)


def made_by_code(dictionary: DataDictionary | None) -> tuple[str, ...]:
    """The columns of a table that code has made and not taken over."""
    entries = dictionary.entries if dictionary is not None else ()
    return tuple(each.column for each in entries if not each.made_from)
