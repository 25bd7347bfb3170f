"""Entities as plain text: of one a block of lines, of a type one line."""

from __future__ import annotations

import json
from collections.abc import Sequence

from flows.core.entity_store import EntityNeighbour, EntityRecord, EntityType, MissingKey
from flows.ui.page import counted
from flows.ui.terminal_text import clean, one_line

_LONGEST_VALUE = 200
_ARROWS = {"to": "->", "from": "<-"}


def types_text(types: Sequence[EntityType]) -> str:
    """A line for each type."""
    if not types:
        return "The store has no entities."
    return clean(
        "\n".join(
            f"{each.name}: {each.count:,}, as {', '.join(each.examples)}"
            + (f"\n  {one_line(each.hint, _LONGEST_VALUE)}" if each.hint else "")
            for each in types
        )
    )


def entity_text(record: EntityRecord, related: Sequence[EntityNeighbour] = ()) -> str:
    """The entity with its values, a line for each, and what it is related to."""
    lines = [f"{record.type} {record.key}"]
    for name, value in record.values.items():
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        lines.append(f"  {name}: {one_line(text, _LONGEST_VALUE)}")
    known = [
        EntityNeighbour(relation=each.name, direction="to", key=each.key, type=each.type)
        for each in record.relations
    ]
    for each in related or known:
        type_ = f"{each.type} " if each.type else ""
        lines.append(f"  {each.relation} {_ARROWS[each.direction]} {type_}{each.key}")
    if record.hint:
        lines.append(f"  hint: {record.hint}")
    return clean("\n".join(lines))


def missing_text(missing: MissingKey) -> str:
    """That a key is not there, and which were probably meant."""
    meant = ", ".join(f"{each.key} ({each.type})" for each in missing.did_you_mean)
    return clean(f"{missing.key}: not there" + (f"; did you mean {meant}?" if meant else ""))


def loaded_text(type_: str, entities: int, rows: int, without_key: int) -> str:
    """What became of a type."""
    left_out = f", {counted(without_key, 'row')} without a key left out" if without_key else ""
    found = "1 entity" if entities == 1 else f"{entities:,} entities"
    return f"{type_}: {found} ({counted(rows, 'row')} read{left_out})"
