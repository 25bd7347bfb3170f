"""`flows check` of graphs that are broken in their keys: all faults at once, and each in its place.

A group of the table is one test, which tells all of its rows that are not as they should be.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.build.broken_graphs import reads, types, ways
from tests.build.broken_graphs.rows import BrokenGraph, faults_of

TABLES: dict[str, list[BrokenGraph]] = {
    **{f"reads, {kind}": rows for kind, rows in reads.IN_KINDS.items()},
    "reads, in order": reads.IN_ORDER,
    **{f"types, {kind}": rows for kind, rows in types.IN_KINDS.items()},
    "types, in order": types.IN_ORDER,
    "branches": ways.BRANCHES,
    "early ends": ways.ENDS,
    "loops": ways.LOOPS,
    "at once": ways.AT_ONCE,
    "maps": ways.MAPS,
}


AT_ONCE = 8
GROUPS = {
    f"{name}, from {begin}": rows[begin : begin + AT_ONCE]
    for name, rows in TABLES.items()
    for begin in range(0, len(rows), AT_ONCE)
}


@pytest.mark.parametrize("group", GROUPS)
def test_what_is_said_of_it_and_where(group: str, tmp_path: Path) -> None:
    wrong = []
    for each in GROUPS[group]:
        found = faults_of(each.broken, tmp_path)
        places = [(e.place.line, e.place.column) for e in found if e.place]
        said = [
            path == e.path and part in e.problem
            for e, (path, part) in zip(found, each.said, strict=False)
        ]
        if places != each.places or len(found) != len(each.said) or not all(said):
            shown = "\n".join(map(str, found))
            wrong.append(f"{each.name}: wanted {each.places} {each.said}\n{shown}")
        if left := faults_of(each.mended, tmp_path):
            wrong.append(f"{each.name}, mended: " + "\n".join(map(str, left)))
    assert not wrong, "\n\n".join(wrong)


def test_each_row_has_a_name_of_its_own() -> None:
    names = [(group, each.name) for group, rows in TABLES.items() for each in rows]
    assert len(names) == len(set(names)) >= 120
