"""Remarks that change the plan of a question: each must give the plan of the question meant."""

from __future__ import annotations

import pytest

from flows.analysis.compile import compile_plan
from flows.analysis.loop.refine import refine
from flows.analysis.reading.read import Reading, read
from tests.analysis.worlds import World

SECOND = "Which habitat had the second highest average quill mass in 2004?"
MEDIAN = "Which habitat had the highest median quill mass in 2004?"
EVER = "Which habitat had the highest average quill mass?"
BEST = "Which habitat had the highest average quill mass in 2004?"
EACH = "average quill mass for each habitat"
SORTED = (
    "Show habitat and average quill mass for each habitat in 2004 ordered by average quill mass"
)


@pytest.mark.parametrize(
    ("question", "remark", "same_as"),
    [
        (BEST, "the lowest instead", "Which habitat had the lowest average quill mass in 2004?"),
        (BEST, "lowest", "Which habitat had the lowest average quill mass in 2004?"),
        (BEST, "And the lowest?", "Which habitat had the lowest average quill mass in 2004?"),
        (BEST, "reverse", "Which habitat had the lowest average quill mass in 2004?"),
        (BEST, "second highest", SECOND),
        (BEST, "not 2004 but 2002", "Which habitat had the highest average quill mass in 2002?"),
        (BEST, "2002 instead of 2004", "Which habitat had the highest average quill mass in 2002?"),
        (BEST, "without Marsh",
         "Which habitat had the highest average quill mass in 2004 not in Marsh?"),
        (BEST, "exclude the Dune",
         "Which habitat had the highest average quill mass in 2004 not in Dune?"),
        (BEST, "only Marsh and Dune",
         "Which habitat had the highest average quill mass in 2004 in Marsh or Dune?"),
        (BEST, "for Marsh please", "average quill mass in 2004 in Marsh"),
        (BEST, "and the Dune?", "average quill mass in 2004 in Dune"),
        (BEST, "per zorb name", "Which zorb name had the highest average quill mass in 2004?"),
        (BEST, "by season year", "average quill mass for each habitat over the years"),
        (BEST, "all years", "Which habitat had the highest average quill mass?"),
        (BEST, "remove the season year filter", EVER),
        (BEST, "sort by quill mass ascending", f"{SORTED} ascending"),
        (BEST, "in descending order", f"{SORTED} descending"),
        (BEST, "show all of them", f"{SORTED} descending"),
        (BEST, "show 10 rows", "Which habitat had the 10 highest average quill mass in 2004?"),
        (BEST, "more rows", "Which habitat had the 10 highest average quill mass in 2004?"),
        (BEST, "no, I meant the total", "Which habitat had the highest total quill mass in 2004?"),
        (BEST, "what about the median?", MEDIAN),
        (BEST, "which one is the lowest?",
         "Which habitat had the lowest average quill mass in 2004?"),
        ("How many habitats are there?", "list them", "Show the different habitats"),
        ("List the names of all zorbs in the marsh", "show 1 row",
         "Show the first 1 zorb name in the marsh"),
        (EACH, "in 2001 and 2002", f"{EACH} in 2001 and 2002"),
        (EACH, "only the lowest", "Which habitat has the lowest average quill mass?"),
        (EACH, "without Marsh", f"{EACH} not in Marsh"),
        (f"{EACH} in 2004", "by season year", "average quill mass for each habitat over the years"),
        ("What is the average quill mass?", "the highest", "What is the highest quill mass?"),
        ("Show the first 3 rows", "show 6 rows", "Show the first 6 rows"),
    ],
)  # fmt: skip
def test_a_remark_gives_the_plan_that_is_meant(
    zorbs: World, question: str, remark: str, same_as: str
) -> None:
    changed = refine(question, remark, zorbs.tables)
    assert changed is not None
    wanted, found = read(same_as, zorbs.tables), read(changed.question, zorbs.tables)
    assert isinstance(wanted, Reading), wanted
    assert isinstance(found, Reading), found
    assert compile_plan(found.plan) == compile_plan(wanted.plan)


@pytest.mark.parametrize("remark", ["show all of them", "more rows", "by grade", "only the lowest"])
def test_what_is_written_from_a_plan_names_the_table_where_several_could_be_meant(
    works: World, remark: str
) -> None:
    question = "Which kettle has the most litres?"
    changed = refine(question, remark, works.tables)
    assert changed is not None
    found = read(changed.question, works.tables)
    assert isinstance(found, Reading)
    assert found.table.name == "kettle_log"
    works.rows(compile_plan(found.plan))


def test_names_and_values_in_quotes_are_read_as_they_are(works: World) -> None:
    found = read('Show the `label` with `grade` "A" of `kettle_log`', works.tables)
    assert isinstance(found, Reading)
    assert works.rows(compile_plan(found.plan)) == [("Big Bertha",), ("Tall Tom",), ("Drum",)]
