"""Each method has all of its parts, and says the truth of itself; a request that does not fit is
refused with its reason."""

from __future__ import annotations

import ast
import importlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pandas as pd
import pytest
from matplotlib import pyplot as plt

import flows.analysis
from flows.analysis import methods
from flows.analysis.language.phrasebook import METHODS as PHRASES
from flows.analysis.methods.arguments import Arguments
from flows.analysis.methods.catalog import ASKED, BY_NAME, METHODS, find_findings
from flows.analysis.methods.check import arguments_for, follow_ups
from flows.analysis.methods.compile import compile_study
from flows.analysis.methods.findings import Purpose
from flows.analysis.methods.library import library, used_names
from flows.analysis.methods.method import Method
from flows.analysis.methods.read import read_study
from flows.analysis.methods.sheet import Sheet
from flows.analysis.methods.specification import Specification
from flows.analysis.telling.cells import CitedCell, tell
from flows.data.tables import Table
from flows.semantics.inference.model import infer_model
from flows.semantics.query import Constant, FieldRef, Query
from flows.semantics.request import Analysis, Argument
from tests.analysis.statistics.asked import Tables, frames_of_methods
from tests.analysis.statistics.questions import QUESTIONS

ROOM = Path(methods.__path__[0])
SHARED = ROOM / "recipes.py"
ANALYSIS = Path(flows.analysis.__path__[0])
# For methods of which no question is among those whose answers are known.
ALSO = (
    ("gapminder", "Is there a linear trend of lifeExp in Kenya?"),
    ("patients", "Survival curve of weeks by arm"),
    ("patients", "Survival curve of weeks"),
    ("gapminder", "Why did lifeExp rise from 1952 to 2007, by continent?"),
    ("checks", "Is anything wrong with this data?"),
    ("checks", "Predict the missing tip"),
)
# What a part of a finding may be: a cell, one that not every result has, one of each column.
CELLS = (CitedCell, CitedCell | None, tuple[CitedCell, ...])
DATA = frames_of_methods()
Specified = tuple[Specification[Arguments], tuple[Table, ...]]


@pytest.fixture(scope="module")
def asked(tables_by_name: Tables) -> Mapping[str, list[Specified]]:
    """The analyses that the questions about statistics ask for, by their methods."""
    found: dict[str, list[Specified]] = defaultdict(list)
    texts = [*((each.table, each.text) for each in QUESTIONS), *ALSO]
    for name, text in texts:
        tables = tables_by_name[name]
        study = read_study(text, tables)
        if isinstance(study, Specification):
            found[study.kind].append((study, tables))
    return found


def test_every_package_is_in_the_table_under_its_own_name() -> None:
    packages = {path.name for path in ROOM.iterdir() if (path / "__init__.py").is_file()}
    assert packages == {each.name for each in METHODS} == set(BY_NAME)
    assert len(METHODS) == len(BY_NAME)


@pytest.mark.parametrize("method", METHODS, ids=lambda each: each.name)
def test_a_method_has_every_part(method: Method[Arguments]) -> None:
    package = f"{methods.__name__}.{method.name}"
    assert importlib.import_module(package).__doc__
    assert importlib.import_module(f"{package}.method").METHOD is method
    assert importlib.import_module(f"{package}.cue").CUE is method.cue
    assert method.arguments.__module__ == f"{package}.arguments"
    assert method.arguments.__doc__
    assert "fields" in method.arguments.model_fields
    if method in ASKED:
        assert method.cue.words or method.cue.hint
    assert method.answers <= set(get_args(Purpose))
    assert method.reader(Sheet("made-1", (), (), (), 0)) is None
    assert method.narrations
    for finding in (each.finding for each in method.narrations):
        assert finding.__module__ in (f"{package}.method", f"{package}.findings")
        assert finding.__doc__
        assert is_dataclass(finding)
        hints = get_type_hints(finding)
        assert {hints[each.name] for each in fields(finding)} <= set(CELLS)
    assert method.cue.includes <= set(BY_NAME)
    assert method.cue.otherwise in ("", *BY_NAME)


@pytest.mark.parametrize(
    ("method", "columns"),
    [
        ("growth", "shop first_value last_value from to percent"),
        ("trend", "column per_step p_value step"),
        ("forecast", "month forecast lower upper"),
        ("outliers", "column outliers rows lower_bound upper_bound"),
        ("summary_statistics", "column rows missing mean std minimum median maximum"),
        ("missing_values", "column missing percent rows"),
        ("hypothesis_test", "plan rows mean test p_value effect effect_size"),
    ],
)
def test_the_cells_of_a_result_are_what_its_method_says(method: str, columns: str) -> None:
    """Each part of a finding is a column of the result; a table that no method of ours has made is
    read as the one whose columns it has."""
    names = tuple(columns.split())
    sheet = Sheet("made-1", names, ("",) * len(names), ((1.0,) * len(names),), 1)
    found = BY_NAME[method].reader(sheet)
    assert found is not None
    assert {getattr(found, each.name) for each in fields(found)} <= {*names, ""}
    assert find_findings(sheet) == found
    assert find_findings(Sheet("made-1", ("region", "total"), ("", ""), (("n", 1),), 1)) is None


def results(study: Specification[Arguments], frame: pd.DataFrame) -> list[dict[str, CitedCell]]:
    """The cells of what the code of an analysis computes; none where no row is left for it."""
    named: dict[str, Any] = {study.table.name: frame, "tables": {study.table.name: frame}}
    try:
        exec(compile_study(study, (study.table,)), named)  # it is our own
    except ValueError:
        return []
    plt.close("all")
    made = named["result"].astype(object)
    cells = made.where(made.notna(), None).to_numpy().tolist()
    rows = tell(list(made.columns), cells, "made-1")
    return [dict(zip(made.columns, row, strict=True)) for row in rows]


@pytest.mark.long("code with all its libraries, each time in a sandbox of its own")
@pytest.mark.parametrize("method", ASKED, ids=lambda each: each.name)
def test_each_kind_of_finding_is_in_some_result_and_is_told_by_its_cells(
    method: Method[Arguments], asked: Mapping[str, list[Specified]]
) -> None:
    untold = list(method.narrations)
    for study, _ in asked[method.name]:
        if not untold:
            break
        rows = results(study, DATA[study.table.name])
        if not rows:
            continue
        assert {*method.needs} <= rows[0].keys()
        kind = next(each for each in method.narrations if each.find(study, rows) is not None)
        found = kind.find(study, rows)
        assert found is not None
        assert len(found) == len(rows)
        for finding, row in zip(found, rows, strict=True):
            cells = [getattr(finding, each.name) for each in fields(finding)]
            flat = [c for each in cells for c in (each if isinstance(each, tuple) else [each])]
            assert {id(cell) for cell in flat if cell is not None} <= {id(c) for c in row.values()}
        said = kind.say(study, found, len(found))
        assert said.endswith(".")
        assert "{{made-1[" in said
        untold = [each for each in untold if each is not kind]
    assert untold == []


def used_by(recipes: Iterator[str]) -> set[str]:
    """These recipes and all that they use."""
    known, needed, left = library(), set(), list(recipes)
    while left:
        name = left.pop()
        if name in known and name not in needed:
            needed.add(name)
            left += used_names(known[name])
    return needed


@pytest.mark.parametrize("method", ASKED, ids=lambda each: each.name)
def test_a_method_says_what_it_draws(
    method: Method[Arguments], asked: Mapping[str, list[Specified]]
) -> None:
    """The picture of the entry is that of the recipes that it calls."""
    calls = [call for study, _ in asked[method.name] for call in method.calls(study, "")]
    assert calls, f"no question asks for {method.name}"
    assert {call.recipe for call in calls} <= set(library())
    needed = used_by(call.recipe for call in calls)
    assert bool(method.picture) == any("plt" in used_names(library()[each]) for each in needed)
    steps = [step for study, _ in asked[method.name] for step in method.steps(study)]
    assert all(step.endswith(".") for step in steps)


def test_no_two_recipes_have_one_name() -> None:
    """The code of an analysis takes recipes from all packages by their names alone."""
    files = [SHARED, *ROOM.glob("*/recipes.py")]
    found = Counter(
        node.name
        for file in files
        for node in ast.parse(file.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef)
    )
    assert len(found) > 100
    assert [name for name, times in found.items() if times > 1] == []


@pytest.mark.long("whole analyses over their data")
def test_what_follows_an_analysis_fits_its_table_and_can_be_run(
    asked: Mapping[str, list[Specified]],
) -> None:
    proposed = 0
    for study, tables in (each for found in asked.values() for each in found):
        for after in follow_ups(study):
            proposed += 1
            assert after.arguments != study.arguments
            assert "def study()" in compile_study(after, tables)
    assert proposed > 50


# --- names of methods -----------------------------------------------------------------------------


def literals(node: ast.expr, known: Mapping[str, ast.expr]) -> Iterator[str]:
    """The texts in an expression; a name of the module stands for what it was made of."""
    if isinstance(node, ast.Name) and node.id in known:
        node = known[node.id]
    yield from (
        each.value
        for each in ast.walk(node)
        if isinstance(each, ast.Constant) and isinstance(each.value, str)
    )


def names_in(tree: ast.Module) -> Iterator[str]:
    """The texts of a module that stand for names of methods."""
    known = {
        target.id: each.value
        for each in tree.body
        if isinstance(each, ast.Assign | ast.AnnAssign) and each.value is not None
        for target in (each.targets if isinstance(each, ast.Assign) else [each.target])
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and isinstance(node.left, ast.Attribute):
            left = ast.unparse(node.left)
            if left.endswith(("study.kind", ".method")):
                yield from (name for each in node.comparators for name in literals(each, known))
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in (
            "Analysis",
            "FollowUp",
            "then",
        ):
            given = [each.value for each in node.keywords if each.arg == "method"]
            for value in (*given, *node.args[:1]):
                yield from literals(value, known)
        elif isinstance(node, ast.Subscript) and ast.unparse(node.value) in ("BY_NAME", "BY_KIND"):
            yield from literals(node.slice, known)


@pytest.mark.long("analyses computed over their data")
def test_no_module_names_a_method_that_there_is_not() -> None:
    found: dict[str, set[str]] = {}
    for path in ANALYSIS.rglob("*.py"):
        named = set(names_in(ast.parse(path.read_text(encoding="utf-8"))))
        found[str(path.relative_to(ANALYSIS))] = named
    named = set().union(*found.values())
    assert {"scatter_plot", "regression"} <= named  # it does find them
    unknown = {path: names - set(BY_NAME) for path, names in found.items() if names - set(BY_NAME)}
    assert not unknown


def test_the_phrases_of_the_parser_name_methods_that_there_are() -> None:
    assert set(PHRASES) <= set(BY_NAME)


# --- requests that cannot be made -----------------------------------------------------------------

REFUSED = [
    ("corelation", {}, "no method is called 'corelation'; did you mean 'correlation'?"),
    ("correlation", {"fields": ["tip", "height"]}, "tips has no field 'height'"),
    ("correlation", {"fields": ["tip", "sex"]}, "sex holds no numbers but text, and correlation"),
    ("correlation", {"fields": ["tip"]}, "at least 2 items"),
    ("correlation", {"fields": ["tip", "size"], "variant": "cosine"}, "variant of correlation"),
    ("correlation", {"fields": ["tip", "size"], "bins": 3}, "bins of correlation"),
    ("box_plot", {"fields": ["tip"], "group": ["total_bill"]}, "total_bill has too many values"),
    ("forecast", {"fields": ["tip"], "time": ["size"]}, "size holds no times"),
    ("forecast", {"fields": ["tip"], "time": ["size"], "steps": 900}, "less than or equal to 500"),
    ("clustering", {"fields": ["tip", "size"], "number": 400}, "400 clusters of 244 rows"),
    ("regression", {"target": ["day"], "fields": ["tip"]}, "day has 4 values and holds no numbers"),
    ("regression", {"target": ["tip"], "fields": ["tip"]}, "tip cannot explain itself"),
    ("hypothesis_test", {"fields": ["tip"]}, "which groups are to be compared"),
    ("summary_statistics", {"fields": ["tip"], "percentiles": 120}, "less than 100"),
    ("missing_values", {}, "fields of missing values"),
]  # fmt: skip


def argument(name: str, value: object) -> Argument:
    if isinstance(value, list):
        fields = tuple(FieldRef(dataset="tips", field=each) for each in value)
        return Argument(name=name, values=fields)
    assert isinstance(value, str | int)
    return Argument(name=name, values=(Constant(value=value),))


@pytest.mark.parametrize(("method", "given", "reason"), REFUSED)
def test_an_analysis_that_cannot_be_made_is_refused_with_its_reason(
    tables_by_name: Tables,
    method: str,
    given: dict[str, object],
    reason: str,
) -> None:
    tables = tables_by_name["tips"]
    request = Analysis(
        method=method,
        over=Query(dataset="tips"),
        arguments=tuple(argument(name, value) for name, value in given.items()),
    )
    [dataset] = infer_model(tables).datasets
    with pytest.raises(ValueError, match=r".") as refused:
        arguments_for(request, dataset, tables[0])
    assert reason in str(refused.value)


def test_a_number_that_only_identifies_rows_is_not_computed_with(
    tables_by_name: Tables,
) -> None:
    tables = tables_by_name["tips"]
    [dataset] = infer_model(tables).datasets
    fields = tuple(
        each.model_copy(update={"role": "identifier"}) if each.name == "size" else each
        for each in dataset.fields
    )
    request = Analysis(
        method="correlation",
        over=Query(dataset="tips"),
        arguments=(argument("fields", ["tip", "size"]),),
    )
    with pytest.raises(ValueError, match="size only identifies rows"):
        arguments_for(request, dataset.model_copy(update={"fields": fields}), tables[0])
