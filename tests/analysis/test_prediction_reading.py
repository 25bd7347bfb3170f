"""What asks for predictions of rows, and what of the same words asks for something else."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from flows.analysis.methods.analyses import study_of
from flows.analysis.methods.compile import compile_study
from flows.analysis.methods.library import functions, library, recipe_files, tool_files
from flows.analysis.methods.method import MethodError
from flows.analysis.methods.prediction.arguments import Prediction
from flows.analysis.methods.read import read_study
from flows.analysis.methods.specification import Specification
from flows.data.catalog import Catalog
from flows.data.tables import Table
from flows.semantics.query import Constant, FieldRef, Query
from flows.semantics.request import Analysis, Argument

Tables = tuple[Table, ...]


@pytest.fixture(scope="module")
def houses(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    """Houses that were sold, those that are on offer, and the agents, which are like neither."""
    folder: Path = tmp_path_factory.mktemp("houses")
    random = np.random.default_rng(3)
    sold = pd.DataFrame({"house_id": range(80), "rooms": random.integers(1, 9, 80)})
    sold["area"] = random.normal(120, 30, 80).round(1)
    sold.loc[::9, "area"] = np.nan
    offers = sold.head(30).assign(house_id=range(100, 130))
    sold["price"] = (sold["rooms"] * 40 + random.normal(0, 9, 80)).round(1)
    agents = pd.DataFrame({"agent": list("abc"), "town": ["Ulm", "Bonn", "Trier"]})
    sources = {}
    for name, frame in (("sold", sold), ("offers", offers), ("agents", agents)):
        frame.to_csv(folder / f"{name}.csv", index=False)
        sources[name] = str(folder / f"{name}.csv")
    with Catalog(sources, folder) as catalog:
        return tuple(catalog.tables())


@pytest.mark.parametrize(
    ("text", "rows", "fields", "file"),
    [
        ("Predict the price of the rows of offers from the others", "offers", (), False),
        ("predict price for offers", "offers", (), False),
        ("Predict the price for each row in offers.csv", "offers", (), False),
        ("Predict the price of the offers rows from rooms", "offers", ("rooms",), False),
        ("Predict price for the rows of offers and make a submission file", "offers", (), True),
        ("Predict price for all rows of offers and write the predictions to a file", "offers", (),
         True),
        ("Predict the price and make a submission", "offers", (), True),
        ("Predict the missing area", "", (), False),
        ("Fill in the missing area by a model", "", (), False),
    ],
)  # fmt: skip
def test_predictions_are_read(
    houses: Tables, text: str, rows: str, fields: tuple[str, ...], file: bool
) -> None:
    tables = houses if rows else houses[:1]
    study = read_study(text, tables)
    assert isinstance(study, Specification), study
    given = study.arguments
    assert isinstance(given, Prediction), study.kind
    assert (given.rows, given.fields, given.file) == (rows, fields, file)
    assert given.target == ("price" if rows else "area")
    assert given.identifier == "house_id"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Predict the price for a house with 5 rooms", "regression"),
        ("How well can the price be predicted from rooms?", "predictive_model"),
        ("Train a random forest to predict price", "predictive_model"),
        ("How many values of area are missing?", "missing_values"),
    ],
)
def test_other_questions_stay_what_they_are(houses: Tables, text: str, kind: str) -> None:
    study = read_study(text, houses[:1])
    assert study is None or not isinstance(study, Specification) or study.kind == kind


def asked(house: Table, **given: str) -> Analysis:
    arguments = [Argument(name="target", values=(FieldRef(dataset=house.name, field="price"),))]
    arguments += [Argument(name=n, values=(Constant(value=v),)) for n, v in given.items()]
    return Analysis(method="prediction", over=Query(dataset=house.name), arguments=tuple(arguments))


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"rows": "nowhere"}, "there is no table nowhere"),
        ({"rows": "agents"}, "have no column to learn from in common"),
        ({"rows": "sold"}, "are those that are learned from"),
        ({"rows": "offers", "identifier": "name"}, "offers has no column 'name'"),
        ({}, "no row of sold lacks price"),
    ],
)
def test_what_cannot_be_predicted_is_said(houses: Tables, given: dict[str, str], why: str) -> None:
    study = read_study("Predict price for offers", houses)
    assert isinstance(study, Specification)
    with pytest.raises(MethodError, match=why):
        study_of(asked(study.table, **given), study.model, houses)


def test_the_code_takes_both_tables_and_learns_from_no_identifier(houses: Tables) -> None:
    study = read_study("Predict price for the rows of offers", houses)
    assert isinstance(study, Specification)
    code = compile_study(study, houses)
    made = code.split("def study")[1]
    assert made.index("data = offers") < made.index("other = data") < made.index("data = sold")
    assert "predict_rows(data, other, 'price', ['rooms', 'area'], 'house_id'" in made
    assert "def test_" not in code
    assert code.count("\ndef fit_model(") == 1


@pytest.mark.long("whole analyses over their data")
def test_the_library_knows_the_tools_and_no_name_is_of_two() -> None:
    known = library()
    assert {each.stem for each in tool_files()} <= set(known)
    made = Counter(
        node.name
        for file in (*recipe_files(), *tool_files())
        for node in ast.parse(file.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
        and (file in recipe_files() or not node.name.startswith("test_"))
    )
    assert [name for name, times in made.items() if times > 1] == []
    assert set(made) <= set(known)
    text = functions(["fit_model"])
    assert sum(each.startswith("@dataclass\nclass _FitModelData") for each in text) == 1
    assert "from dataclasses import dataclass" in text
    assert not any("flows.analysis" in each for each in functions(["make_folds"]))
