"""Remarks about answers: each must give the rows of the question that is meant."""

from __future__ import annotations

import pytest

from flows.analysis.compiler import compile_query
from flows.analysis.parser.edit import edit
from flows.analysis.parser.exact import parse_exact, words
from flows.analysis.reading.reader import Reading
from flows.semantics.inference.model import infer_model
from flows.semantics.model import SemanticModel
from flows.semantics.query import Query
from flows.semantics.request import Unparsed
from tests.analysis.statements import read
from tests.analysis.worlds import World

BEST = "Which habitat had the highest average quill mass in 2004?"
EACH = "average quill mass for each habitat"
ORDERED = "average quill mass for each habitat in 2004 ordered by average quill mass"
OVER_YEARS = "average quill mass for each habitat over the years"


def asked(world: World, question: str) -> Query:
    """A question as it is read."""
    reading = read(question, world.tables)
    assert isinstance(reading, Reading), reading
    return reading.query


def rows_of(world: World, query: Query, model: SemanticModel) -> list[tuple[object, ...]]:
    [table] = [each for each in world.tables if each.name == query.dataset]
    found = world.rows(compile_query(query, model, table.dialect))
    return [tuple(round(c, 9) if isinstance(c, float) else c for c in row) for row in found]


@pytest.mark.parametrize(
    ("question", "remark", "same_as"),
    [
        (BEST, "and in 2002?", "Which habitat had the highest average quill mass in 2002?"),
        (BEST, "not 2004 but 2002", "Which habitat had the highest average quill mass in 2002?"),
        (BEST, "2002 instead of 2004", "Which habitat had the highest average quill mass in 2002?"),
        (BEST, "use the median", "Which habitat had the highest median quill mass in 2004?"),
        (BEST, "median instead of average",
         "Which habitat had the highest median quill mass in 2004?"),
        (BEST, "what about the median?",
         "Which habitat had the highest median quill mass in 2004?"),
        (BEST, "no, I meant the total", "Which habitat had the highest total quill mass in 2004?"),
        (BEST, "top 3 instead", "Which habitat had the 3 highest average quill mass in 2004?"),
        (BEST, "Show me the top two only",
         "Which habitat had the 2 highest average quill mass in 2004?"),
        (BEST, "show 10 rows", "Which habitat had the 10 highest average quill mass in 2004?"),
        (BEST, "more rows", "Which habitat had the 10 highest average quill mass in 2004?"),
        (BEST, "use hatch count instead",
         "Which habitat had the highest average hatch count in 2004?"),
        (BEST, "the lowest instead", "Which habitat had the lowest average quill mass in 2004?"),
        (BEST, "lowest", "Which habitat had the lowest average quill mass in 2004?"),
        (BEST, "And the lowest?", "Which habitat had the lowest average quill mass in 2004?"),
        (BEST, "which one is the lowest?",
         "Which habitat had the lowest average quill mass in 2004?"),
        (BEST, "reverse", "Which habitat had the lowest average quill mass in 2004?"),
        (BEST, "the other way round", "Which habitat had the lowest average quill mass in 2004?"),
        (BEST, "second highest",
         "Which habitat had the second highest average quill mass in 2004?"),
        (BEST, "and the second one?",
         "Which habitat had the second highest average quill mass in 2004?"),
        (BEST, "without Marsh",
         "Which habitat had the highest average quill mass in 2004 not in Marsh?"),
        (BEST, "exclude the Dune",
         "Which habitat had the highest average quill mass in 2004 not in Dune?"),
        (BEST, "only Marsh and Dune",
         "Which habitat had the highest average quill mass in 2004 in Marsh or Dune?"),
        (BEST, "for Marsh please", "average quill mass in 2004 in Marsh"),
        (BEST, "and the Dune?", "average quill mass in 2004 in Dune"),
        (BEST, "per zorb name", "Which zorb name had the highest average quill mass in 2004?"),
        (BEST, "all years", "Which habitat had the highest average quill mass?"),
        (BEST, "remove the season year filter",
         "Which habitat had the highest average quill mass?"),
        (BEST, "sort by quill mass ascending", f"{ORDERED} ascending"),
        (BEST, "in descending order", f"{ORDERED} descending"),
        (BEST, "show all of them", f"{ORDERED} descending"),
        (BEST, "by season year", OVER_YEARS),
        (f"{EACH} in 2004", "by season year", OVER_YEARS),
        (f"{EACH} in 2004", "all years", EACH),
        ("total hatch count per habitat", "only 2003", "total hatch count per habitat in 2003"),
        ("total hatch count per habitat", "by season year", "total hatch count per season year"),
        ("total hatch count per habitat", "sort it by name",
         "total hatch count per habitat ordered by habitat"),
        ("average quill mass in the Marsh", "what about the Dune?",
         "average quill mass in the Dune"),
        ("average quill mass in 2004", "only Marsh", "average quill mass in 2004 in Marsh"),
        ("average quill mass in 2004", "without Marsh", "average quill mass in 2004 not in Marsh"),
        ("Show the top 5 zorbs by quill mass", "top 2", "Show the top 2 zorbs by quill mass"),
        ("How many habitats are there?", "list them", "Show the different habitats"),
        (EACH, "in 2001 and 2002", f"{EACH} in 2001 and 2002"),
        (EACH, "without Marsh", f"{EACH} not in Marsh"),
        (EACH, "and the median?", "median quill mass for each habitat"),
        (EACH, "what about hatch count?", "average hatch count for each habitat"),
        ("What is the average quill mass?", "the highest", "What is the highest quill mass?"),
        ("Show the first 3 rows", "show 6 rows", "Show the first 6 rows"),
    ],
)  # fmt: skip
def test_a_remark_gives_the_question_that_is_meant(
    zorbs: World, question: str, remark: str, same_as: str
) -> None:
    model = infer_model(zorbs.tables)
    changed = edit(asked(zorbs, question), remark, model)
    assert isinstance(changed, Query), changed
    wanted = asked(zorbs, same_as)
    assert set(rows_of(zorbs, _plain(changed), model)) == set(rows_of(zorbs, _plain(wanted), model))
    assert parse_exact(words(changed, model), model) == changed


def _plain(query: Query) -> Query:
    """A query with all its groups and figures, in one order of columns."""
    return query.model_copy(update={"show": ()}) if query.metrics else query


def test_what_the_remark_does_not_name_stays(zorbs: World) -> None:
    model = infer_model(zorbs.tables)
    before = asked(zorbs, f"{EACH} in 2004")

    def changed(remark: str) -> str:
        return words(edit(before, remark, model), model)

    table = "average quill mass by habitat, where season year is 2004"
    assert changed("Show me the top 2 only") == f"{table}, top 2"
    assert changed("break this down by zorb name") == (
        "average quill mass by habitat and zorb name, where season year is 2004"
    )
    assert changed("by zorb name instead") == (
        "average quill mass by zorb name, where season year is 2004"
    )
    assert changed("only the lowest") == f"{table}, bottom 1"
    names = asked(zorbs, "List the names of all zorbs in the marsh")
    assert words(edit(names, "show 1 row", model), model) == (
        "zorb name, where habitat is 'Marsh', first 1, without repeats"
    )
    assert changed("as a line chart") == f"line chart of {table}"


@pytest.mark.parametrize(
    ("remark", "left"),
    [
        ("bananas are yellow", ("bananas", "are", "yellow")),
        ("only 2003, and by colour", ("colour",)),
        ("why?", ("why",)),
    ],
)
def test_what_is_no_change_says_which_words_it_lacks(
    zorbs: World, remark: str, left: tuple[str, ...]
) -> None:
    model = infer_model(zorbs.tables)
    found = edit(asked(zorbs, BEST), remark, model)
    assert isinstance(found, Unparsed)
    assert set(left) <= set(found.words)
    assert found.reason


def test_values_of_a_table_that_is_referred_to(works: World) -> None:
    model = infer_model(works.tables)
    before = asked(works, "How many kettles are there?")
    changed = edit(before, "only Copper", model)
    assert isinstance(changed, Query)
    assert rows_of(works, changed, model) == [(4,)]
