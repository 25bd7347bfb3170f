from __future__ import annotations

import pytest

from flows.analysis.compile import compile_plan
from flows.analysis.loop.refine import refine
from flows.analysis.reading.read import Reading, read
from tests.analysis.worlds import World

BEST = "Which habitat had the highest average quill mass in 2004?"


@pytest.mark.parametrize(
    ("question", "remark", "same_as", "replaces"),
    [
        (BEST, "and in 2002?", "Which habitat had the highest average quill mass in 2002?", False),
        (BEST, "use the median", "Which habitat had the highest median quill mass in 2004?", True),
        (BEST, "median instead of average",
         "Which habitat had the highest median quill mass in 2004?", True),
        (BEST, "top 3 instead",
         "Which habitat had the 3 highest average quill mass in 2004?", True),
        (BEST, "use hatch count instead",
         "Which habitat had the highest average hatch count in 2004?", True),
        ("total hatch count per habitat", "only 2003",
         "total hatch count per habitat in 2003", True),
        ("total hatch count per habitat", "by season year",
         "total hatch count per season year", True),
        ("average quill mass in the Marsh", "what about the Dune?",
         "average quill mass in the Dune", False),
        ("average quill mass in 2004", "only Marsh", "average quill mass in 2004 in Marsh", True),
        ("average quill mass in 2004", "without Marsh",
         "average quill mass in 2004 not in Marsh", True),
        ("Show the top 5 zorbs by quill mass", "top 2",
         "Show the top 2 zorbs by quill mass", True),
    ],
)  # fmt: skip
def test_a_remark_changes_the_question(
    zorbs: World, question: str, remark: str, same_as: str, replaces: bool
) -> None:
    changed = refine(question, remark, zorbs.tables)
    assert changed is not None
    wanted, found = read(same_as, zorbs.tables), read(changed.question, zorbs.tables)
    assert isinstance(wanted, Reading)
    assert isinstance(found, Reading)
    assert compile_plan(found.plan) == compile_plan(wanted.plan)
    assert changed.replaces is replaces
    assert changed.how


@pytest.mark.parametrize("remark", ["bananas are yellow", "", "ok", "in 2004", "why?", "the the"])
def test_a_remark_that_changes_nothing_is_not_taken(zorbs: World, remark: str) -> None:
    assert refine(BEST, remark, zorbs.tables) is None
