"""Questions over made-up tables, run for real, compared with sums done by hand in Python."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable
from statistics import mean, median
from typing import Any

import pytest

from flows.analysis.reading import reader
from flows.analysis.reading.reader import Reading, Unread
from flows.semantics.inference.model import infer_model
from flows.semantics.kinds import fields_in
from tests.analysis.statements import read, statement
from tests.analysis.worlds import World, Zorb

Rows = list[Zorb]


def ask(question: str, world: World, *, evidence: bool = False) -> list[tuple[Any, ...]]:
    reading = read(question, world.tables)
    assert isinstance(reading, Reading), f"{question}: {reading}"
    return world.rows(statement(reading, world.tables, evidence=evidence))


def flat(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Rows without an order of rows or columns, numbers rounded."""

    def cell(value: Any) -> str:
        return f"{value:.6g}" if isinstance(value, int | float) else str(value)

    return sorted(tuple(sorted(cell(value) for value in row)) for row in rows)


def grouped(zorbs: Rows, key: Callable[[Zorb], Any]) -> dict[Any, Rows]:
    groups: dict[Any, Rows] = defaultdict(list)
    for zorb in zorbs:
        groups[key(zorb)].append(zorb)
    return groups


def best_habitat(zorbs: Rows) -> list[tuple[Any, ...]]:
    groups = grouped([z for z in zorbs if z.year == 2004], lambda z: z.habitat)
    return [(max(groups, key=lambda h: mean(z.mass for z in groups[h])),)]


CASES: list[tuple[str, Callable[[Rows], list[tuple[Any, ...]]]]] = [
    ("How many rows are there?", lambda z: [(len(z),)]),
    ("How many zorbs are in the Upper Fen?", lambda _: [(3,)]),
    ("How many different habitats are there?", lambda _: [(3,)]),
    ("What is the average quill mass?", lambda z: [(mean(x.mass for x in z),)]),
    ("What is the median quill mass in dunes?",
     lambda z: [(median(x.mass for x in z if x.habitat == "Dune"),)]),
    ("minimum, maximum and average quill mass",
     lambda z: [(min(x.mass for x in z), max(x.mass for x in z), mean(x.mass for x in z))]),
    ("What is the total hatch count in 2003?",
     lambda z: [(sum(x.hatched for x in z if x.year == 2003),)]),
    ("Which habitat had the highest average quill mass in 2004?", best_habitat),
    ("What is the total hatch count per habitat?",
     lambda z: [(h, sum(x.hatched for x in g))
                for h, g in grouped(z, lambda x: x.habitat).items()]),
    ("count the rows by habitat",
     lambda z: [(h, len(g)) for h, g in grouped(z, lambda x: x.habitat).items()]),
    ("average hatch count for each habitat and season year",
     lambda z: [(*k, mean(x.hatched for x in g))
                for k, g in grouped(z, lambda x: (x.habitat, x.year)).items()]),
    ("Which habitats have more than 15 rows?", lambda _: [("Marsh",), ("Upper Fen",)]),
    ("How many rows have a quill mass of at least 50?",
     lambda z: [(sum(x.mass >= 50 for x in z),)]),
    ("How many rows have a hatch count between 10 and 20?",
     lambda z: [(sum(10 <= x.hatched <= 20 for x in z),)]),
    ("How many rows are not in the Marsh?", lambda z: [(sum(x.habitat != "Marsh" for x in z),)]),
    ("How many rows are from the Marsh or the Dune?",
     lambda z: [(sum(x.habitat != "Upper Fen" for x in z),)]),
    ("How many rows were first seen after 2003-05-01?",
     lambda z: [(sum(x.seen > "2003-05-01" for x in z),)]),
    ("How many rows were first seen in 2004?",
     lambda z: [(sum(x.seen[:4] == "2004" for x in z),)]),
    ("What was the quill mass of Silt Runner in 2005?",
     lambda z: [(x.mass,) for x in z if x.name == "Silt Runner" and x.year == 2005]),
    ("list the names of all zorbs in the marsh", lambda _: [("Bexum",), ("Orla",), ("Tavi",)]),
    ('names of zorbs that start with "Q"', lambda _: [("Quorr",)]),
    ("What share of rows are from the Marsh?",
     lambda z: [(100 * sum(x.habitat == "Marsh" for x in z) / len(z),)]),
    ("What percentage of zorbs are from the Dune?", lambda _: [(100 * 2 / 8,)]),
    ("Compare the average hatch count of Marsh and Dune in 2002",
     lambda z: [(h, mean(x.hatched for x in z if x.habitat == h and x.year == 2002))
                for h in ("Marsh", "Dune")]),
    ("Which habitat has the most hatch count?",
     lambda z: [(max(grouped(z, lambda x: x.habitat).items(),
                     key=lambda i: sum(x.hatched for x in i[1]))[0],)]),
    ("Show the lowest quill mass in 2006 and its habitat",
     lambda z: [(x.mass, x.habitat) for x in sorted(
         (x for x in z if x.year == 2006), key=lambda x: x.mass)[:1]]),
]  # fmt: skip


@pytest.mark.parametrize(("question", "expected"), CASES, ids=[case[0] for case in CASES])
def test_questions_over_names_nobody_saw(
    zorbs: World, question: str, expected: Callable[[Rows], list[tuple[Any, ...]]]
) -> None:
    assert flat(ask(question, zorbs)) == flat(expected(zorbs.zorbs))


ORDERED: list[tuple[str, Callable[[Rows], list[tuple[Any, ...]]]]] = [
    ("Show the five zorbs with the lowest quill mass in 2003",
     lambda z: [(x.name,) for x in sorted(
         (x for x in z if x.year == 2003), key=lambda x: x.mass)[:5]]),
    ("top 3 zorbs by quill mass in 2001",
     lambda z: [(x.name,) for x in sorted(
         (x for x in z if x.year == 2001), key=lambda x: -x.mass)[:3]]),
    ("Which zorb had the second highest quill mass in 2001?",
     lambda z: [(x.name,) for x in sorted(
         (x for x in z if x.year == 2001), key=lambda x: -x.mass)[1:2]]),
    ("How did the quill mass of Orla change since 2002?",
     lambda z: [(x.year, x.mass) for x in z if x.name == "Orla" and x.year >= 2002]),
    ("What is the trend of hatch counts over time?",
     lambda z: [(y, mean(x.hatched for x in g))
                for y, g in sorted(grouped(z, lambda x: x.year).items())]),
]  # fmt: skip


@pytest.mark.parametrize(("question", "expected"), ORDERED, ids=[case[0] for case in ORDERED])
def test_ordered_questions(
    zorbs: World, question: str, expected: Callable[[Rows], list[tuple[Any, ...]]]
) -> None:
    rows = [
        tuple(str(c) if isinstance(c, str) else round(c, 6) for c in r)
        for r in ask(question, zorbs)
    ]
    wanted = [
        tuple(c if isinstance(c, str) else round(c, 6) for c in row)
        for row in expected(zorbs.zorbs)
    ]
    assert rows == wanted


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many brewers are there?", [(4,)]),
        ("How many kettles are there?", [(5,)]),
        ("What are the first and last names of the female brewers?",
         [("Ulla", "Stamm"), ("Ines", "Vark")]),
        ("Which brewers were hired before June 1, 2012? Show their last names.", [("Stamm",)]),
        ("What is the last name of the brewer with the highest pay?", [("Vark",)]),
        ("List the labels of kettles with grade A or C, ordered by litres",
         [("Nipper",), ("Tall Tom",), ("Drum",), ("Big Bertha",)]),
        ("What are the labels of kettles with more than 400 litres?",
         [("Big Bertha",), ("Tall Tom",), ("Drum",)]),
        ("How many kettles are there for each grade?", [("A", 3), ("B", 1), ("C", 1)]),
        ("Which grade is the most common?", [("A",)]),
        ("What are the last names of brewers whose guild is missing?", [("Gild",)]),
        ("average pay of brewers by sex", [("F", 465.375), ("M", 344.0)]),
        ("What is the pay of Ulla?", [(410.5,)]),
    ],
)  # fmt: skip
def test_the_right_one_of_several_tables(
    works: World, question: str, expected: list[tuple[Any, ...]]
) -> None:
    assert flat(ask(question, works)) == flat(expected)


@pytest.mark.parametrize(
    "question",
    [
        "What is the meaning of life?",
        "Give me the frobnicate of Orla",
        "What is the correlation between quill mass and hatch count?",
        "Who was the first president of Iceland?",
        "Why are the zorbs so sad in winter?",
        "quill mass divided by hatch count for the blue zorbs",
        "",
        "?!",
    ],
)
def test_what_cannot_be_read_is_said(zorbs: World, question: str) -> None:
    unread = read(question, zorbs.tables)
    assert isinstance(unread, Unread)
    assert str(unread)


def test_an_unread_question_names_the_words_that_it_could_not_use(zorbs: World) -> None:
    unread = read("What is the frobnication of the marsh?", zorbs.tables)
    assert isinstance(unread, Unread)
    assert any("frobnication" in word for word in unread.not_understood)


def test_no_tables_is_no_answer() -> None:
    assert isinstance(read("How many rows are there?", ()), Unread)


def test_evidence_is_selected_beside_what_was_asked(zorbs: World) -> None:
    reading = read("Which habitat had the highest average quill mass in 2004?", zorbs.tables)
    assert isinstance(reading, Reading)
    assert len(zorbs.rows(statement(reading, zorbs.tables, evidence=True))[0]) == 2
    assert len(zorbs.rows(statement(reading, zorbs.tables))[0]) == 1
    assert "habitat" in reading.explanation


def test_a_year_is_not_taken_for_a_measure(zorbs: World) -> None:
    reading = read("What is the average quill mass in 2004?", zorbs.tables)
    assert isinstance(reading, Reading)
    assert reading.query.where is not None
    assert [each.field for each in fields_in(reading.query.where)] == ["seasonYear"]


def test_reading_is_quick(zorbs: World) -> None:
    model = infer_model(zorbs.tables)
    reader.read(CASES[0][0], zorbs.tables, model)
    start = time.process_time()
    for question, _ in CASES:
        reader.read(question, zorbs.tables, model)
    assert (time.process_time() - start) / len(CASES) < 0.02
