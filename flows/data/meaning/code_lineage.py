"""What the columns of a table are that code has made, as far as the code says it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from flows.data.meaning.dictionary import DataDictionary, DictionaryEntry, shortened, taken_over
from flows.data.tables import Table

_MOST_CODE = 200_000


def of_made(
    columns: Sequence[str],
    types: Sequence[str],
    code: str,
    read: Sequence[Table],
) -> DataDictionary:
    """The entries of a table that code has made: by name those of its inputs, else how it is set.

    `read` are the tables that the code was given; a column that the code sets, by
    `frame["name"] = ...`, `assign` or `rename`, is new even when an input has one of that name.
    """
    computed = _set_in_code(code)
    dictionary = DataDictionary.of_tables(read)
    entries = []
    for name, kind in zip(columns, types, strict=True):
        same = [
            each
            for each in (dictionary.find(table.name, name) for table in read)
            if each is not None
        ]
        if name in computed:
            text = f"made by code: {computed[name]}"
            entries.append(DictionaryEntry(column=name, type=kind, description=shortened(text)))
        elif len({(each.description, each.unit) for each in same}) == 1:
            entries.append(taken_over(name, kind, same[0]))
        else:
            entries.append(DictionaryEntry(column=name, type=kind, description="made by code"))
    return DataDictionary(entries=tuple(entries))


# Each table that a piece of code has made is described by it.
@lru_cache(maxsize=4)
def _set_in_code(code: str) -> Mapping[str, str]:
    """The columns that Python code sets by a written name, each with the expression."""
    if len(code) > _MOST_CODE:
        return {}
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError):  # it has failed then, and made nothing
        return {}
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        found.update(_set_by(node))
    return found


def _set_by(node: ast.AST) -> Iterator[tuple[str, str]]:
    if isinstance(node, ast.Assign):
        for target in node.targets:
            index = target.slice if isinstance(target, ast.Subscript) else None
            if isinstance(index, ast.Tuple) and index.elts:  # frame.loc[rows, "name"] = ...
                index = index.elts[-1]
            if isinstance(index, ast.Constant) and isinstance(index.value, str):
                yield index.value, ast.unparse(node.value)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr in ("assign", "agg", "aggregate"):
            for each in node.keywords:
                if each.arg:
                    yield each.arg, _computed(each.value)
        elif node.func.attr == "rename":
            for each in node.keywords:
                if each.arg == "columns" and isinstance(each.value, ast.Dict):
                    yield from _renamed(each.value)


def _renamed(pairs: ast.Dict) -> Iterator[tuple[str, str]]:
    for old, new in zip(pairs.keys, pairs.values, strict=True):
        if isinstance(old, ast.Constant) and isinstance(new, ast.Constant):
            yield str(new.value), f"{old.value!s} under another name"


def _computed(value: ast.expr) -> str:
    """An expression as text; a pair of column and function as `agg` has it, in words."""
    if isinstance(value, ast.Tuple) and len(value.elts) == 2:
        column, function = value.elts
        if isinstance(column, ast.Constant) and isinstance(function, ast.Constant):
            return f"{function.value!s} of {column.value!s}"
    return ast.unparse(value)
