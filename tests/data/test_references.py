"""References: the values of a text are rendered from cells, and never guessed."""

from __future__ import annotations

import pytest

from flows.data.answers.citations import NamedResult
from flows.data.answers.references import CellFunction, Reference, find_references, in_text
from flows.data.answers.rendering import render
from flows.errors import CitationError

SALES = NamedResult(
    "result-1",
    ("region", "revenue", "net profit %", 'a "b"}}'),
    (("North", 10, 0.5, 1), ("South", 20.5, None, 2), ("West", "7.25", 0.125, 3)),
    "SELECT",
    3,
)
CUT = NamedResult("cut", ("n", "n"), ((1, 2),), "SELECT", None)
DAYS = NamedResult("days", ("day", "people"), (("2020-01-02", 1318683096), (None, 0)), "SELECT", 2)
RESULTS = {each.name: each for each in (CUT, DAYS, SALES)}


def shown(text: str) -> str:
    return render(text, RESULTS).text


@pytest.mark.parametrize(
    ("text", "rendered"),
    [
        ("{{result-1[0].revenue}}", "10"),
        ("{{ last[1].revenue | .2f }}", "20.50"),
        ("{{result-1[0].region}} leads", "North leads"),
        ('{{last[0]."net profit %" | percent}}', "50.0 %"),
        ('{{last[2]."net profit %" | .0%}}', "12 %"),
        ('{{last[1]."net profit %"}}', "missing"),
        ('{{last[1]."a ""b""}}"}}', "2"),
        ("{{days[0].people}}", "1,318,683,096"),
        ("{{days[0].people | plain}}", "1318683096"),
        ("{{days[0].people | million}}", "1318.68 million"),
        ("{{days[0].people | .1 billion}}", "1.3 billion"),
        ("{{days[0].people | ,.0f}}", "1,318,683,096"),
        ("{{days[0].day}}", "2020-01-02"),
        ("{{sum(result-1.revenue)}}", "37.75"),
        ("{{mean(last.revenue) | .1f}} {{average(last.revenue) | .1f}}", "12.6 12.6"),
        ("{{min(last.revenue)}} {{max(last.revenue)}}", "7.25 20.5"),
        ('{{count(last)}} {{count(last."net profit %")}}', "3 2"),
        ("{{difference(last[1].revenue, last[0].revenue) | +}}", "+10.5"),
        ("{{ratio(last[1].revenue, last[0].revenue)}}", "2.05"),
        ("{{share(last[0].revenue, sum(last.revenue))}}", "26.5 %"),
        ("{{change(last[0].revenue, last[1].revenue) | +.1%}}", "+105.0 %"),
        ("{{sum(last[0].revenue, last[1].revenue)}}", "30.5"),
        ("{{ratio(sum(last.revenue), count(last)) | .2f}}", "12.58"),
        ("no references, { {x}} or }}", "no references, { {x}} or }}"),
        ("`{{name}}` is a template", "`{{name}}` is a template"),
        ("`{{last[0].revenue}}`", "`10`"),
    ],
)
def test_values_are_written_as_their_cells(text: str, rendered: str) -> None:
    assert shown(text) == rendered


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{{result1[0].revenue}}", "no result 'result1'; did you mean result-1? (results: cut, "),
        ("{{last[0].revenu}}", "no column 'revenu'; did you mean 'revenue'? (columns: region, rev"),
        ("{{last[3].revenue}}", "result-1 has no row 3; its rows are 0 to 2"),
        ("{{cut[1].n}}", "cut has 2 columns 'n'"),
        ("{{last[-1].revenue}}", "'-1' is no row: rows are numbers that count from 0"),
        ("{{last[0]}}", "after last[0] comes the column"),
        ("{{last.revenue}}", "last.revenue is a whole column: say a row"),
        ("{{last}}", "last is a whole result"),
        ("{{summe(last.revenue)}}", "no function 'summe'; did you mean sum? (functions: sum, mean"),
        ("{{ratio(last[0].revenue)}}", "ratio takes two values"),
        ("{{difference(last.revenue, last.revenue)}}", "is a whole column"),
        ("{{sum(last.region)}}", "last.region holds 'North' and no number"),
        ("{{sum(last[0].region)}}", "last[0].region holds 'North' and no number"),
        ('{{sum(last[1]."net profit %")}}', "is missing"),
        ("{{count(cut)}}", "cut was cut after 1 rows, so its count is not known"),
        ("{{ratio(last[0].revenue, days[1].people)}}", "ratio cannot be worked out"),
        ("{{last[0].region | .1f}}", "it is 'North' and no number"),
        ("{{last[0].revenue | currency}}", "'currency' is no format (formats: plain, percent"),
        ("{{last[0].revenue", "expected }} and not"),
        ("{{}}", "expected the name of a result or a function and not '}}.'"),
        ("{{last[0].}}", "expected a column's name and not '}}.'"),
        ("{{sum(sum(sum(sum(sum(last.revenue)))))}}", "at most 4 deep"),
    ],
)  # fmt: skip
def test_what_names_no_cell_is_an_error_that_says_what_there_is(text: str, told: str) -> None:
    with pytest.raises(CitationError) as caught:
        render(f"All is {text}.", RESULTS)
    assert told in str(caught.value)
    assert text.rstrip("}") in str(caught.value)
    assert render(text, RESULTS, strict=False).text == text


def test_all_problems_are_told_at_once() -> None:
    with pytest.raises(CitationError) as caught:
        render("{{a[0].b}} " + "".join(f"{{{{last[{n}].x}}}} " for n in range(9)), RESULTS)
    assert str(caught.value).count("{{") == 5
    assert "and 5 more" in str(caught.value)


def test_without_results_nothing_can_be_referred_to() -> None:
    with pytest.raises(CitationError, match="no command has given a table yet"):
        render("{{last[0].x}}", {})


def test_each_value_is_cited_where_it_stands() -> None:
    text = "In {{last[0].region}} it was {{last[0].revenue}}, a share of "
    made = render(f"{text}{{{{share(last[0].revenue, sum(last.revenue))}}}}.", RESULTS)
    assert made.text == "In North it was 10, a share of 26.5 %."
    cell, share = made.citations
    assert [made.text[each.start : each.end] for each in made.citations] == ["10", "26.5 %"]
    assert (cell.origin, cell.result, cell.row, cell.column) == ("cell", "result-1", 0, "revenue")
    assert (cell.value, cell.sql, cell.reference) == (10, "SELECT", "last[0].revenue")
    assert (share.origin, share.result) == ("derived", "result-1")
    assert share.formula == "10 / (sum of revenue of 3 rows)"
    assert share.value == pytest.approx(10 / 37.75)


def test_a_cell_is_not_read_for_references() -> None:
    hostile = NamedResult("r", ("t", "n"), (("{{r[0].n}}", 5),), None, 1)
    assert render("{{r[0].t}}", {"r": hostile}).text == "{{r[0].n}}"


@pytest.mark.parametrize(
    "value",
    [
        Reference(result="result-1", row=2, column="net profit %"),
        Reference(result="r", row=0, column='a "b"}}'),
        Reference(result="r", row=0, column="größe"),
        CellFunction(function="count", of=(Reference(result="r"),)),
        CellFunction(function="change", of=(Reference(result="r", row=0, column="x"),) * 2),
    ],
)
def test_a_reference_is_read_as_it_was_written(value: Reference | CellFunction) -> None:
    (found,) = find_references(f"a {in_text(value, '+.1%')} b")
    assert (found.value, found.form, found.problem) == (value, "+.1%", "")
    assert type(value).model_validate_json(value.model_dump_json()) == value


@pytest.mark.parametrize(
    "text", ["{{" * 50_000, '{{r."' * 20_000, "{{sum(" * 20_000, "{{a[" * 9999]
)
def test_hostile_references_are_problems_and_no_more(text: str) -> None:
    with pytest.raises(CitationError):
        render(text, RESULTS)
