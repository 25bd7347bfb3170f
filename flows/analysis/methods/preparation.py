"""The steps of a working table as pandas statements, for the code of the analysis of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date

from flows.analysis.compiler.frames import FrameLimit, filter_lines, row_text
from flows.analysis.methods.arguments import Arguments
from flows.analysis.methods.cleaning import meaning_lines
from flows.analysis.methods.compile import physical_tables
from flows.data.frames import frame_name
from flows.data.tables import Table
from flows.semantics.model import Dataset, SemanticModel
from flows.semantics.preparation import (
    CHANCE,
    LEARN,
    MODULUS,
    SPLIT,
    TEST,
    after_step,
    one_hot_name,
)
from flows.semantics.query import FieldRef
from flows.semantics.request import Derive, Encode, Impute, Keep, Prepare, Split, Step


def step_lines(
    prepare: Prepare, model: SemanticModel, today: date, tables: Sequence[Table] = ()
) -> list[str]:
    """Statements that make the frame `data` what all steps leave of it, with what rows of `tables`
    hold to which its own refer. Raises FrameLimit for
    what a data frame cannot compute of each row."""
    lines: list[str] = []
    for step in prepare.steps:
        lines += _lines(step, prepare.dataset, model, today, tables)
        model = after_step(step, prepare.dataset, model)
    return lines


def with_split(arguments: Arguments, prepare: Prepare) -> Arguments:
    """What a method is given, with the part of the rows that a step keeps to test with, where the
    method learns."""
    split = next((each for each in prepare.steps if isinstance(each, Split)), None)
    if split is None or "test" not in type(arguments).model_fields:
        return arguments
    return arguments.model_copy(update={"test": split.test, "seed": split.seed % MODULUS})


def _lines(
    step: Step, dataset: str, model: SemanticModel, today: date, tables: Sequence[Table]
) -> Iterator[str]:
    match step:
        case Derive(of=FieldRef() as of) if of.dataset != dataset:
            yield from _looked_up(step.name, of, dataset, model, tables)
        case Derive():
            yield _assigned(step.name, row_text(step.of, dataset, model))
        case Keep():
            yield from filter_lines(step.where, dataset, model, today)
        case Impute():
            column = f"data[{step.field.field!r}]"
            yield _assigned(step.field.field, f"{column}.fillna({_filling(step, column)})")
        case Encode():
            yield from _encoding(step, dataset, model)
        case Split():
            yield from _parts(step, _dataset(dataset, model))


def _looked_up(
    name: str, of: FieldRef, dataset: str, model: SemanticModel, tables: Sequence[Table]
) -> Iterator[str]:
    """What the row of another table holds to which each row refers by one column."""
    links = [
        each
        for each in model.relationships
        if (each.dataset, each.to, len(each.fields)) == (dataset, of.dataset, 1)
        and of.via in ((), (each.name,))
    ]
    table = next((each for each in tables if each.name == of.dataset), None)
    if len(links) != 1 or table is None:
        raise FrameLimit("it needs more of other tables than what a row refers to by one column")
    key, own = links[0].to_fields[0], links[0].fields[0]
    yield f"rows, data = data, tables[{frame_name(*physical_tables(table, tables, model))!r}]"
    yield from meaning_lines(_dataset(of.dataset, model), model, f"{key!r} {of.field!r}")
    yield f"known = data.dropna(subset=[{key!r}]).drop_duplicates({key!r}).set_index({key!r})"
    yield f"data = rows.assign(**{{{name!r}: rows[{own!r}].map(known[{of.field!r}])}})"


def _dataset(name: str, model: SemanticModel) -> Dataset:
    found = model.dataset(name)
    assert found is not None  # the preparation was checked
    return found


def _assigned(name: str, made: str) -> str:
    return f"data = data.assign(**{{{name!r}: {made}}})"


def _filling(step: Impute, column: str) -> str:
    if step.value is not None:
        return repr(step.value.value)
    if step.way == "most frequent":
        return f"next(iter({column}.mode()), np.nan)"
    return f"{column}.{step.way}()"


def _encoding(step: Encode, dataset: str, model: SemanticModel) -> Iterator[str]:
    name = step.field.field
    field = _dataset(dataset, model).find(name)
    assert field is not None  # the step was checked
    if step.way == "one-hot":
        for value in field.values:
            test = f'(data[{name!r}].astype("str") == {value!r}).astype("int64")'
            yield _assigned(one_hot_name(step, value), test)
    elif field.ordered:
        places = {value: place for place, value in enumerate(field.values, 1)}
        yield _assigned(name, f'data[{name!r}].astype("str").map({places!r})')
    else:
        yield _assigned(name, f'data[{name!r}].rank(method="dense")')


def _parts(step: Split, dataset: Dataset) -> Iterator[str]:
    """As the same split in SQL, where the dataset has a key."""
    by = list(dataset.key) or [each.name for each in dataset.fields if each.column]
    scattered = CHANCE.format(n="number", seed=step.seed % MODULUS)
    yield f"number = pd.Series(range(1, len(data) + 1), index=data.sort_values({by!r}).index)"
    yield f"tested = ({scattered}) % {MODULUS} < {round(step.test * MODULUS)}"
    yield _assigned(SPLIT, f"tested.map({{True: {TEST!r}, False: {LEARN!r}}})")
