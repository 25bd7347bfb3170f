"""How values are read: what is a number, a time, a missing one, the same category; what is not."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from datetime import datetime
from pathlib import Path

import duckdb
import pandas
import pytest

from flows.semantics.inference.numbers import read_number
from flows.semantics.inference.times import FORMATS
from flows.semantics.model import Cleaning, Fold, Number, SemanticField, Time, Unknown
from tests.data.workbooks import write_xlsx
from tests.semantics.inference.tables import fields, model_of, model_of_sources, only

ROWS = 60
CHANCE = random.Random(5)


def some(*values: object) -> list[object]:
    """A column in which each of the values comes several times."""
    return [values[at % len(values)] for at in range(ROWS)]


def numbers(form: str, low: float = 1000, high: float = 99999) -> list[object]:
    """Different amounts, written in one way with a comma between thousands and decimals."""
    return [form.format(CHANCE.uniform(low, high)) for _ in range(ROWS)]


def german(text: object) -> str:
    return str(text).translate(str.maketrans(",.", ".,"))


CLEANED: dict[str, tuple[list[object], str, tuple[Cleaning, ...]]] = {
    "dollars": (numbers("${:,.2f}"), "USD", (Number(thousands=","),)),
    "whole dollars": (numbers("${:,.0f}"), "USD", (Number(thousands=","),)),
    "euros behind": (
        [f"{german(each)} €" for each in numbers("{:,.2f}")],
        "EUR",
        (Number(decimal=",", thousands="."),),
    ),
    "euros before": (
        [f"€{german(each)}" for each in numbers("{:,.2f}")],
        "EUR",
        (Number(decimal=",", thousands="."),),
    ),
    "brackets": (
        ["($1,234.50)", "$12.00", *numbers("${:,.2f}")[2:]],
        "USD",
        (Number(thousands=","),),
    ),
    "francs": (numbers("CHF {:.2f}"), "CHF", (Number(left_out=("CHF",)),)),
    "monthly": (
        [f"{german(each)} EUR/month" for each in numbers("{:,.2f}")],
        "EUR/month",
        (Number(decimal=",", thousands=".", left_out=("EUR/month",)),),
    ),
    "way": (some("12 km", "3.5 km", "n/a", "7 KM"), "km", (
        Unknown(values=("n/a",)), Number(left_out=("KM", "km")),
    )),
    "stay": (some("45min", "5min", "120min"), "min", (Number(left_out=("min",)),)),
    "energy": (
        [each.replace(",", " ") for each in map(str, numbers("{:,.0f} kWh"))],
        "kWh",
        (Number(thousands=" ", left_out=("kWh",)),),
    ),
    "party": (
        some("1 guest", "2 guests", "7 guests"), "guests",
        (Number(left_out=("guests", "guest")),),
    ),
    "percent": (some("10%", "0%", "12.5 %"), "%", (Number(),)),
    "comma percent": (some("10,5 %", "0,0 %"), "%", (Number(decimal=","),)),
    "gaps": (
        some("$5.50", "n/a", "$6.25", "n/a"), "USD", (Unknown(values=("n/a",)), Number()),
    ),
    "day first": (some("13/01/2024", "01/02/2024", "28/12/2023"), "", (Time(format="%d/%m/%Y"),)),
    "month first": (some("01/13/2024", "02/01/2024"), "", (Time(format="%m/%d/%Y"),)),
    "with a clock": (
        some("13/01/2024 09:30", "01/02/2024 23:59"),
        "",
        (Time(format="%d/%m/%Y %H:%M"),),
    ),
    "month in words": (some("Jan 05, 2023", "Mar 30, 2024"), "", (Time(format="%b %d, %Y"),)),
    "two forms": (
        some("2024-01-05", "05.01.2024", "2023-11-30", "09.10.2023"),
        "",
        (Time(format="%Y-%m-%d", others=("%d.%m.%Y",)),),
    ),
    "year last or first": (
        some("2024-01-05", "25-01-2024", "2023-11-30", "n/a"),
        "",
        (Unknown(values=("n/a",)), Time(format="%Y-%m-%d", others=("%d-%m-%Y",))),
    ),
    "month": (some("2024-01", "2024-02", "2023-11"), "", (Time(format="%Y-%m"),)),
    "firsts of months": (
        some("01/01/2024", "01/02/2024", "01/03/2024", "01/04/2024"),
        "",
        (Time(format="%d/%m/%Y"),),
    ),
    "score": (some(4, 3, -99, 5, 1, 2), "", (Unknown(values=(-99,)),)),
    "rating": (some(4, 3, -1, 5, 1, 2), "", (Unknown(values=(-1,)),)),
    "rainfall": (some(0.5, 3.25, -9999.0, 12.5, 1, 2), "", (Unknown(values=(-9999.0,)),)),
    "priority": (
        some("high", "High", "High", "low", " low", "low"),
        "",
        (Fold(names=(("high", "High"),)),),
    ),
    "reason": (some("Price", "-", "Moved", "-"), "", (Unknown(values=("-",)),)),
}  # fmt: skip
ONE_WAY = {
    "insured": (("yes", "Yes", "Y", "N", "no", "TRUE", "0", "1", "x"), ("yes", "no")),
    "bezahlt": (("Ja", "ja", "Nein", "J", "N"), ("ja", "nein")),
}
LEFT: dict[str, list[object]] = {
    "shelf": some("A4", "A5", "B2"),
    "class": some("10A", "9B", "7C"),
    "place": some("1st", "2nd", "3rd", "4th"),
    "room number": some("R-0012", "R-0740", "R-9001"),
    "two units": some("5 kg", "300 g"),
    "millions": some("€5m", "€7m", "€12m"),
    "seasons": some("2021 season", "2022 season", "2024 season"),
    "houses": some("12 Mill Lane", "7 Mill Lane"),
    "duration": some("03:45", "12:30", "00:59"),
    "gender": some("0", "1"),
    "document code": [str(at * 7 + 1) for at in range(ROWS)],
    "either": some("01/02/2024", "03/04/2024", "05/06/2024"),  # day first, or month first?
    "either in one form": some("2024-01-05", "01/02/2024", "03/04/2024"),
    "three decimals": some("1,234", "2,345"),  # thousands, or decimals?
    "two currencies": some("$5.50", "€6.25"),
    "one is no number": [*numbers("${:,.2f}")[1:], "see note"],
    "one is no date": [*some("13/01/2024", "01/02/2024")[1:], "soon"],
    "phone": [f"555 {100 + at} {200 + at}" for at in range(ROWS)],
    "account no": [f"{at:06d}" for at in range(ROWS)],
    "version": [f"1.{at}.{at % 7}" for at in range(ROWS)],
    "address": [f"10.0.{at}.1" for at in range(ROWS)],
    "blood pressure": some("120/80", "130/85", "110/70"),
    "unit": some("mW", "MW", "kW"),
    "allele": some("a", "A"),
    "strand": some("+", "-"),
    "continent": some("NA", "EU", "SA", "AF"),
    "promotion": some("None", "Spring"),
    "step": some(-1, 0, 1, 2, 3),  # a scale that begins below nought
    "temperature": some(-1, 3, 4, 8, 12),
    "balance": some(-99, 100, 250, 90, 1200),
    "debt": some(-99, -20, 30, 250, 90),
    "ordinary": some(999, 800, 950, 700, 1000),
}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, SemanticField]:
    """The fields of a Parquet file with all these columns: no reader has touched their texts."""
    folder = tmp_path_factory.mktemp("cleaned")
    columns = {name: values for name, (values, _, _) in CLEANED.items()} | LEFT
    frame = pandas.DataFrame(columns)
    frame.to_parquet(folder / "measurements.parquet")
    return fields(only(model_of_sources(folder, {"measurements": "measurements.parquet"})))


@pytest.mark.parametrize("name", CLEANED)
def test_values_that_all_fit_are_cleaned(found: Mapping[str, SemanticField], name: str) -> None:
    _, unit, steps = CLEANED[name]
    assert (found[name].cleaning, found[name].unit) == (steps, unit)


@pytest.mark.parametrize("name", LEFT)
def test_what_could_mean_something_else_stays_as_it_is(
    found: Mapping[str, SemanticField], name: str
) -> None:
    assert found[name].cleaning == ()


@pytest.mark.parametrize("name", [*CLEANED, *LEFT])
def test_types_are_those_after_cleaning(found: Mapping[str, SemanticField], name: str) -> None:
    field = found[name]
    last = field.cleaning[-1:]
    kind = field.type
    if last and isinstance(last[0], Number):
        assert kind == "real"
    elif last and isinstance(last[0], Time):
        assert kind == ("timestamp" if "%H" in last[0].format else "date")


@pytest.mark.parametrize(
    ("text", "cleaning", "number"),
    [
        ("$1,234.50", Number(thousands=","), 1234.5),
        ("(12.00)", Number(), -12.0),
        ("1.234,56 €", Number(decimal=",", thousands="."), 1234.56),
        ("-€5,5", Number(decimal=","), -5.5),
        ("¥ 1'000.00", Number(thousands="'"), 1000.0),
        ("10%", Number(scale=0.01), 0.1),
        ("1.250,5 kg", Number(decimal=",", thousands=".", left_out=("kg",)), 1250.5),
        ("ten", Number(), None),
    ],
)
def test_a_text_is_read_as_the_number_that_it_is(
    text: str, cleaning: Number, number: float | None
) -> None:
    assert read_number(text, cleaning) == number


@pytest.mark.long("whole vocabularies are read")
def test_a_rare_text_beyond_the_first_thousands_is_not_overlooked(tmp_path: Path) -> None:
    amounts = [f"${at}.50" for at in range(5000)]
    model = model_of(tmp_path, {"a": {"x": amounts}, "b": {"y": [*amounts, "to be agreed"]}})
    one, other = (each.fields[0] for each in model.datasets)
    assert one.cleaning == (Number(),)
    assert other.cleaning == ()


@pytest.mark.long("whole vocabularies are read")
def test_columns_of_a_workbook(tmp_path: Path) -> None:
    heading = ["fee", "paid on", "level"]
    rows: list[list[str | int]] = [
        ["$1,200.00", "13.01.2024", 4],
        ["n/a", "01.02.2024", -99],
        ["$9.99", "-", 3],
        ["$15.00", "28.12.2023", 5],
        ["$2.00", "28.12.2023", 1],
        ["$7.00", "-", -99],
    ]
    write_xlsx(tmp_path / "fees.xlsx", {"Sheet1": [heading, *rows]})
    dataset = only(model_of_sources(tmp_path, {"fees": "fees.xlsx"}))
    fee, paid, level = dataset.fields
    assert fee.cleaning == (Unknown(values=("n/a",)), Number(thousands=","))
    assert paid.cleaning == (Unknown(values=("-",)), Time(format="%d.%m.%Y"))
    assert level.cleaning == (Unknown(values=(-99,)),)
    assert (fee.role, paid.role, level.role, dataset.time) == (
        "measure",
        "time",
        "measure",
        "paid on",
    )


def test_texts_among_the_numbers_of_a_sqlite_column(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "lab.db")) as lab, lab:
        lab.execute("CREATE TABLE samples (dose REAL, taken TEXT)")
        rows = [(0.5, "13/01/2024"), ("n/a", "02/02/2024"), (1.25, "n/a"), (2.0, "14/02/2024")]
        lab.executemany("INSERT INTO samples VALUES (?, ?)", rows * 4)
    dose, taken = only(model_of_sources(tmp_path, {"lab": "lab.db"})).fields
    assert dose.cleaning == (Unknown(values=("n/a",)), Number())
    assert (dose.role, dose.type) == ("measure", "real")
    assert taken.cleaning == (Unknown(values=("n/a",)), Time(format="%d/%m/%Y"))


@pytest.mark.long("whole vocabularies are read")
def test_a_time_is_written_as_the_database_can_read_it(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "log.db")) as log, log:
        log.execute("CREATE TABLE events (spoken TEXT, short TEXT, fixed TEXT)")
        rows = [
            ("Jan 05, 2024", "5/13/2024", "05.01.2024"),
            ("Feb 16, 2024", "11/2/2024", "13.02.2024"),
        ]
        log.executemany("INSERT INTO events VALUES (?, ?, ?)", rows * 3)
    (events,) = model_of_sources(tmp_path, {"log": "log.db"}).datasets
    assert [each.cleaning for each in events.fields] == [(), (), (Time(format="%d.%m.%Y"),)]
    frame = pandas.DataFrame(rows * 3, columns=["spoken", "short", "fixed"])
    frame.to_parquet(tmp_path / "log.parquet")
    found = only(model_of_sources(tmp_path, {"log": "log.parquet"})).fields
    forms = ["%b %d, %Y", "%m/%d/%Y", "%d.%m.%Y"]
    assert [each.cleaning for each in found] == [(Time(format=each),) for each in forms]


@pytest.mark.long("models of many tables are inferred")
def test_duckdb_reads_every_format_as_it_is_meant() -> None:
    moment = datetime(2024, 11, 23, 14, 45, 30)
    with closing(duckdb.connect()) as engine:
        for form in FORMATS:
            text = moment.strftime(form)
            row = engine.execute("SELECT try_strptime(?, ?)", [text, form]).fetchone()
            assert row == (datetime.strptime(text, form),), form


def test_a_flag_in_several_spellings_has_two_values(tmp_path: Path) -> None:
    columns = {name: some(*said) for name, (said, _) in ONE_WAY.items()}
    columns["kind"] = some("Y", "x", "A")
    found = fields(only(model_of(tmp_path, {"parcels": columns})))
    for name, (said, meant) in ONE_WAY.items():
        (fold,) = found[name].cleaning
        assert isinstance(fold, Fold)
        assert {dict(fold.names).get(each, each) for each in said} == set(meant)
        assert (found[name].role, set(found[name].values)) == ("flag", set(meant))
    assert (found["kind"].role, found["kind"].cleaning) == ("category", ())
