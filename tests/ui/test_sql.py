"""SQL on a screen still means what ran."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from flows.ui.sql import MAX_CHARS, render_sql

LONG = (
    "SELECT a.region, COUNT(*) FILTER (WHERE b.x = 'from  where') AS n FROM sales AS a LEFT JOIN "
    "other AS b ON a.id = b.id WHERE a.year IN (SELECT year FROM years LIMIT 3) GROUP BY a.region"
)


def squeezed(sql: str) -> str:
    """Without the blanks outside of quotes."""
    return "".join(re.sub(r"\s+", " ", part) if i % 2 == 0 else part
                   for i, part in enumerate(sql.split("'")))  # fmt: skip


@pytest.mark.parametrize("width", [20, 40, 80])
def test_only_blanks_between_words_become_line_ends(width: int) -> None:
    shown = render_sql(LONG, width).plain
    assert squeezed(shown) == squeezed(LONG)
    assert "'from  where'" in shown
    assert max(cell_len(line) for line in shown.splitlines()) <= width


def test_clauses_begin_lines_but_not_within_brackets() -> None:
    assert render_sql(LONG, 80).plain.splitlines() == [
        "SELECT a.region, COUNT(*) FILTER (WHERE b.x = 'from  where') AS n",
        "FROM sales AS a",
        "LEFT JOIN other AS b ON a.id = b.id",
        "WHERE a.year IN (SELECT year FROM years LIMIT 3)",
        "GROUP BY a.region",
    ]


def test_short_queries_and_those_with_lines_stay_as_they_are() -> None:
    assert render_sql("SELECT 1 FROM t", 80).plain == "SELECT 1 FROM t"
    assert (
        render_sql(f"SELECT 1\n{'FROM t ' * 20}", 40).plain == f"SELECT 1\n{'FROM t ' * 20}".strip()
    )


def test_a_query_of_many_pages_is_cut_and_says_so() -> None:
    shown = render_sql("SELECT " + "x, " * 5000 + "y", 80).plain
    assert len(shown) < MAX_CHARS * 1.2
    assert shown.endswith(" more characters")


@pytest.mark.long("whole runs are shown")
@given(st.text(max_size=200))
def test_any_text_can_be_shown(sql: str) -> None:
    render_sql(sql, 30)
