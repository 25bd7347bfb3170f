"""Tables: what fits, what is cut, and what cells look like."""

from __future__ import annotations

import io
from typing import Any

import pytest
from rich.cells import cell_len
from rich.console import Console

from flows.core.observation import Preview
from flows.ui.tables import render_table


def drawn(
    rows: list[tuple[Any, ...]], *, columns: tuple[str, ...] = (), width: int = 80, **more: Any
) -> tuple[list[str], list[str]]:
    names = columns or tuple(f"c{i}" for i in range(len(rows[0])))
    given = {"total_rows": len(rows), "types": ("other",) * len(names), **more}
    preview = Preview.model_validate({"columns": names, "rows": rows, **given})
    table, left = render_table(preview, width)
    out = io.StringIO()
    Console(file=out, width=width, color_system=None).print(table)
    return [line.rstrip() for line in out.getvalue().splitlines()], left


def test_numbers_are_aligned_and_exact_enough() -> None:
    shown, _ = drawn([(2007, 1.5, 0.000012), (12, 64.65873529411765, 3.0), (None, None, None)])
    assert shown[2:] == [
        "2007   1.5000  1.2e-05",
        "  12  64.6587        3",
        "NULL     NULL     NULL",
    ]


def test_whole_decimals_have_no_decimals_and_large_ones_no_noise() -> None:
    shown, _ = drawn([(1.0, 1318683096.0, 1e300), (2.0, 5.0, 2.0)])
    assert shown[2:] == [" 1  1318683096  1e+300", " 2           5       2"]


def test_nothing_empty_and_odd_texts_can_be_told_apart() -> None:
    shown, _ = drawn([(None,), ("NULL",), ("",), (" x",), ("a\nb",), (True,), ("plain",)])
    assert shown[2:] == ["NULL", '"NULL"', '""', '"x"', '"a b"', "true", "plain"]


@pytest.mark.parametrize(
    ("count", "total", "truncated", "rows", "left"),
    [
        (12, 12, False, 12, []),
        (13, 13, False, 10, ["… 3 more rows"]),
        (20, 1130, False, 10, ["… 1,120 more rows"]),
        (20, 200, True, 10, ["… 190 more rows kept, and more that were not"]),
        (2, 2, True, 2, ["… more rows"]),
    ],
)
def test_rows_that_are_not_shown_are_counted(
    count: int, total: int, truncated: bool, rows: int, left: list[str]
) -> None:
    shown, said = drawn([(i,) for i in range(count)], total_rows=total, truncated=truncated)
    assert (len(shown) - 2, said) == (rows, left)


@pytest.mark.parametrize("width", [20, 38, 69, 189])
def test_a_wide_table_is_cut_to_what_fits(width: int) -> None:
    rows = [("a long text " * 5, 123456789, "你好" * 20, 0.5, "z" * 50) for _ in range(3)]
    shown, left = drawn(rows, columns=("text", "number", "wide", "share", "last"), width=width)
    assert max(cell_len(line) for line in shown) <= width
    assert shown[0].startswith("text")
    if width <= 38:
        assert "last" in left[0]
    else:
        assert left == []
        assert "123456789" in shown[2]


def test_many_columns_are_named_and_not_squeezed() -> None:
    shown, left = drawn([tuple(range(1000, 1030))], width=60)
    assert "1000  1001  1002" in shown[2]
    assert left == ["… 20 more columns: c10, c11, c12, c13, c14, c15, c16, c17, …"]
