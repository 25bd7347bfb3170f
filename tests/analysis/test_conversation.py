"""Conversations over a made-up table: what the last words come to, computed without SQL."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median

import pytest

from flows.analysis.analyst.proposal import Analyst
from flows.analysis.conversation.reader import ConversationReader
from flows.analysis.conversation.turn import ConversationTurn, TurnReading
from flows.data.catalog import Catalog
from flows.data.query import run_unchecked
from flows.semantics.inference.model import infer_model
from flows.semantics.query import Query
from flows.semantics.request import Analysis, Chart, Compound
from tests.analysis.worlds import World, Zorb

EACH = "average quill mass for each habitat"
BEST = "Which zorb has the highest total hatch count?"
FENS = "How many rows have the habitat Upper Fen?"
Rows = list[tuple[object, ...]]


@dataclass
class Talk:
    """What the last of some turns was read as, and the rows that it gave."""

    reading: TurnReading
    rows: Rows
    turns: list[ConversationTurn]


def talk(world: World, *texts: str) -> Talk:
    model = infer_model(world.tables)
    analyst = Analyst(world.tables, model, 0.4, 0.2)
    reader, turns = ConversationReader(analyst), list[ConversationTurn]()
    for text in texts:
        reading, rows, columns = reader.read(text, turns), [], ()
        status = {"text": "answered", "decline": "abstained"}.get(reading.kind, reading.kind)
        if reading.kind == "answer":
            asked = reading.request
            made = (
                analyst.propose(reading.question) if asked is None else analyst.propose_for(asked)
            )
            assert made["cannot"] is None, made["cannot"]
            status = "answered"
            if made["sql"]:
                columns, found = world.run(made["sql"])
                rows = [tuple(_plain(cell) for cell in row) for row in found]
        turns.append(
            ConversationTurn.model_validate(
                {"text": text, "status": status, "read": reading.question,
                 "request": reading.request, "columns": columns, "rows": rows,
                 "options": reading.options}
            )
        )  # fmt: skip
    return Talk(reading, rows, turns)


def _plain(cell: object) -> object:
    if isinstance(cell, float):
        return round(cell, 6)
    return cell if isinstance(cell, int | str | None) else str(cell)


def by(
    world: World, key: Callable[[Zorb], object], figure: Callable[[Sequence[Zorb]], float],
    where: Callable[[Zorb], bool] = lambda _: True,
) -> set[tuple[object, ...]]:  # fmt: skip
    """The figure of each group, as rows."""
    groups: dict[object, list[Zorb]] = defaultdict(list)
    for each in world.zorbs:
        if where(each):
            groups[key(each)].append(each)
    return {(name, round(figure(of), 6)) for name, of in groups.items()}


def habitat(zorb: Zorb) -> str:
    return zorb.habitat


def mass(of: Sequence[Zorb]) -> float:
    return mean(each.mass for each in of)


def hatched(of: Sequence[Zorb]) -> float:
    return sum(each.hatched for each in of)


@pytest.mark.long("whole analyses over their data")
def test_remarks_change_what_was_asked(zorbs: World) -> None:
    fits = [
        (["only 2003"], by(zorbs, habitat, mass, lambda z: z.year == 2003)),
        (["only 2003", "what about 2004?"], by(zorbs, habitat, mass, lambda z: z.year == 2004)),
        (["excluding the Dune"], by(zorbs, habitat, mass, lambda z: z.habitat != "Dune")),
        (["no, I meant the median"],
         by(zorbs, habitat, lambda of: median(each.mass for each in of))),
        (["what about the total hatch count?"], by(zorbs, habitat, hatched)),
        (["how many rows is that for each?"], by(zorbs, habitat, len)),
        (["by season year instead"], by(zorbs, lambda z: z.year, mass)),
        (["only those with more than 15 rows"], {
            each for each in by(zorbs, habitat, mass)
            if sum(z.habitat == each[0] for z in zorbs.zorbs) > 15
        }),
    ]  # fmt: skip
    for remarks, expected in fits:
        found = talk(zorbs, EACH, *remarks)
        assert {tuple(row) for row in found.rows} == expected, remarks
        assert found.reading.follows


@pytest.mark.long("whole analyses over their data")
def test_names_may_be_shortened(zorbs: World) -> None:
    masses = sorted(by(zorbs, habitat, mass), key=lambda row: float(str(row[1])))
    found = talk(zorbs, EACH, "sort by mass, lowest first")
    assert [tuple(row) for row in found.rows] == masses
    assert {tuple(row) for row in talk(zorbs, EACH, "round that").rows} == {
        (name, round(float(str(of)))) for name, of in masses
    }


def test_a_chart_is_drawn_of_the_last_answer(zorbs: World) -> None:
    for remark in ("as a chart", "plot that", "as a line chart"):
        assert isinstance(talk(zorbs, EACH, remark).reading.request, Chart), remark


def test_the_first_of_the_last_answer(zorbs: World) -> None:
    masses = sorted(by(zorbs, habitat, mass), key=lambda row: float(str(row[1])), reverse=True)
    assert talk(zorbs, EACH, "which habitat has the highest?").rows[0][0] == masses[0][0]
    assert talk(zorbs, EACH, "which of those was the lowest?").rows[0][0] == masses[-1][0]
    assert talk(zorbs, EACH, "which is the highest?", "and the lowest?").rows[0][0] == masses[-1][0]


@pytest.mark.parametrize(("grain", "name"), [("quarter", r"\d{4}-Q[1-4]"), ("weekday", r"\w+day")])
def test_a_period_that_is_called_by_its_name_is_referred_to(
    zorbs: World, grain: str, name: str
) -> None:
    first = f"which {grain} has the highest total hatch count?"
    ((period, total),) = talk(zorbs, first).rows
    assert re.fullmatch(name, str(period))
    found = talk(zorbs, first, f"what is the total hatch count in that {grain}?")
    assert found.rows == [(total,)]


def test_what_was_named_is_referred_to(zorbs: World) -> None:
    totals = sorted(by(zorbs, lambda z: z.name, hatched), key=lambda row: -float(str(row[1])))
    first = str(totals[0][0])
    own = [each for each in zorbs.zorbs if each.name == first]
    best = talk(zorbs, BEST)
    assert best.rows[0][0] == first
    assert talk(zorbs, BEST, "what is its average quill mass?").rows[-1][-1] == round(mass(own), 6)
    ranked = "Top 3 zorb names by total hatch count"
    assert [row[0] for row in talk(zorbs, ranked).rows] == [name for name, _ in totals[:3]]
    second = str(totals[1][0])
    found = talk(zorbs, ranked, "what is the average quill mass of the second one?")
    assert found.rows[-1][-1] == round(mass([z for z in zorbs.zorbs if z.name == second]), 6)


def test_the_rows_that_were_counted_are_referred_to(zorbs: World) -> None:
    fens = [each for each in zorbs.zorbs if each.habitat == "Upper Fen"]
    assert talk(zorbs, FENS).rows == [(len(fens),)]
    recent = [each for each in fens if each.year == 2003]
    assert talk(zorbs, FENS, "how many of those are of 2003?").rows == [(len(recent),)]
    share = talk(zorbs, FENS, "how many of those are of 2003?", "what share is that?")
    assert share.rows == [(round(100 * len(recent) / len(fens), 6),)]


def test_going_back_and_going_elsewhere(zorbs: World) -> None:
    back = talk(zorbs, EACH, "only 2003", "top 1", "go back to the first one")
    assert {tuple(row) for row in back.rows} == by(zorbs, habitat, mass)
    new = talk(
        zorbs, EACH, "only 2003", "Now something else: how many different zorb names are there?"
    )
    assert new.rows == [(len({each.name for each in zorbs.zorbs}),)]
    assert not new.reading.follows


def test_what_is_compared(zorbs: World) -> None:
    of = {year: mass([z for z in zorbs.zorbs if z.year == year]) for year in (2003, 2004)}
    asked = "average quill mass in 2004"
    for remark in (
        "how does that compare with 2003?",
        "how does that compare with the year before?",
    ):
        [row] = talk(zorbs, asked, remark).rows
        assert {round(of[2003], 6), round(of[2004], 6)} <= set(row), remark
    [row] = talk(zorbs, asked, "and in 2003?", "what's the difference between the two?").rows
    assert round(of[2004] - of[2003], 6) in row


@pytest.mark.parametrize(
    "text",
    ["some analysis please", "visualise the data", "show me the glims", "how are the glims?"],
)
def test_what_says_too_little_is_asked_back(zorbs: World, text: str) -> None:
    asked = talk(zorbs, text)
    assert asked.reading.kind == "clarify"
    assert 2 <= len(asked.reading.options) <= 4
    for number, option in enumerate(asked.reading.options, 1):
        chosen = talk(zorbs, text, str(number))
        assert chosen.rows
        assert chosen.reading.request == option.request


def test_a_question_back_takes_words_and_other_questions(zorbs: World) -> None:
    other = talk(zorbs, "some analysis please", "how many different habitats are there?")
    assert other.rows == [(len({each.habitat for each in zorbs.zorbs}),)]


@pytest.mark.parametrize("text", ["thanks!", "ok, thank you very much", "hi, how are you?", "bye"])
def test_courtesies_ask_nothing(zorbs: World, text: str) -> None:
    said = talk(zorbs, EACH, text)
    assert (said.reading.kind, said.rows) == ("text", [])
    assert said.reading.text


def test_what_the_data_do_not_hold_is_declined(zorbs: World) -> None:
    for text in ("what is the price of gold?", "and their e-mail address?"):
        assert talk(zorbs, EACH, text).reading.kind == "decline", text


def test_what_would_be_no_answer_is_declined(zorbs: World) -> None:
    """A figure for a person, what is named itself, and what follows an answer that there is not."""
    for texts in ((BEST, "who weighed it?"), (EACH, "frobnicate it", "how many is that?")):
        assert talk(zorbs, *texts).reading.kind == "decline", texts


def test_whole_numbers(zorbs: World) -> None:
    rounded = talk(zorbs, EACH, "and round to whole numbers").rows
    assert rounded
    assert all(float(str(row[1])).is_integer() for row in rounded)


def test_more_detail_is_asked_back_with_the_groups_there_are(zorbs: World) -> None:
    asked = talk(zorbs, EACH, "Can you break it down further?")
    assert asked.reading.kind == "clarify"
    queries = [each.request for each in asked.reading.options]
    assert len(queries) >= 2
    assert all(isinstance(each, Query) and len(each.by) == 2 for each in queries)
    assert len(talk(zorbs, EACH, "Can you break it down further?", "1").rows) > 3


@pytest.mark.long("whole analyses over their data")
def test_an_analysis_is_what_it_is_of(zorbs: World) -> None:
    """A mass adds up; how it is taken is said in the words of the question."""
    summed = by(zorbs, habitat, lambda of: sum(each.mass for each in of))
    for text in ("Analyze the quill mass by habitat", "quill mass analysis by habitat"):
        found = talk(zorbs, text)
        assert {tuple(row) for row in found.rows} == summed, text
        assert found.reading.question == "total quill mass by habitat"
    top = talk(zorbs, "Analyze the quill mass by habitat", "Show me the top 2 only")
    masses = sorted(summed, key=lambda row: -float(str(row[1])))
    assert [tuple(row) for row in top.rows] == masses[:2]


def test_the_distribution_of_the_group_that_was_highest(zorbs: World) -> None:
    first = max(by(zorbs, habitat, mass), key=lambda row: float(str(row[1])))[0]
    asked = "Show me the distribution for the highest habitat"
    request = talk(zorbs, EACH, asked).reading.request
    assert isinstance(request, Analysis)
    assert request.method == "distribution"
    assert request.fields("fields") == ("quillMass",)
    assert str(first) in str(request.over.where)


def test_what_caused_the_dips_that_were_seen(tmp_path: Path) -> None:
    lines = ["noted,ward,mood"]
    for month in range(1, 13):
        for day in range(1, 25):
            low = 2 if month in (3, 9) and day % 2 else 0
            lines.append(f"2023-{month:02}-{day:02},{'ABCD'[day % 4]},{8 - low + day % 3 / 10}")
    path = tmp_path / "wisps.csv"
    path.write_text("\n".join(lines) + "\n")
    with Catalog({"wisps": str(path)}, tmp_path) as catalog:

        def run(sql: str) -> tuple[list[str], list[object]]:
            found = run_unchecked(catalog, sql, "duckdb", max_rows=1000, timeout=30)
            return list(found.columns), list(found.rows)

        world = World(catalog.tables(), [], run)
        request = talk(world, "average mood by month in 2023", "What caused those dips?")
    asked = request.reading.request
    assert isinstance(asked, Compound)
    changes = [each for each in asked.requests if isinstance(each, Analysis)]
    assert [each.method for each in changes] == ["change", "change"]
    assert [each.text("period") for each in changes] == ["2023-03", "2023-09"]
