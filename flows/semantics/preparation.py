"""The working table of a preparation: the dataset that each of its steps leaves."""

from __future__ import annotations

from typing import Final

from flows.semantics.kinds import kind_of
from flows.semantics.model import Dataset, SemanticField, SemanticModel
from flows.semantics.query import Expression
from flows.semantics.request import Derive, Encode, Impute, Prepare, Split, Step

# The column that says to which part of a split a row belongs, and what it says of the two.
SPLIT: Final = "split"
LEARN, TEST = "learn", "test"
# Scatters the numbers of rows below a prime: the rows that come below its part are tested with.
CHANCE: Final = "(({n} * 7919 + {seed}) % 104729) * (({n} * 7919 + {seed}) % 104729) * 31 + {n}"
MODULUS: Final = 104729


def after_step(step: Step, name: str, model: SemanticModel) -> SemanticModel:
    """The model with the dataset of that name as it is after a step. What the names in the step
    stand for is not checked."""
    dataset = model.dataset(name)
    assert dataset is not None, f"the request was not checked: there is no dataset {name}"
    fields = [_after(step, each) for each in dataset.fields]
    known = {each.name.casefold() for each in dataset.fields}
    grown = [*fields, *(each for each in new_fields(step, dataset, model)
                        if each.name.casefold() not in known)]  # fmt: skip
    return with_dataset(model, dataset.model_copy(update={"fields": tuple(grown)}))


def after_steps(prepare: Prepare, model: SemanticModel) -> SemanticModel:
    """The model with the working table that all steps leave, under the name of its dataset."""
    for step in prepare.steps:
        model = after_step(step, prepare.dataset, model)
    return model


def with_dataset(model: SemanticModel, dataset: Dataset) -> SemanticModel:
    """The model with another dataset of that name."""
    datasets = tuple(dataset if each.name == dataset.name else each for each in model.datasets)
    return model.model_copy(update={"datasets": datasets})


def new_fields(step: Step, dataset: Dataset, model: SemanticModel) -> tuple[SemanticField, ...]:
    """The columns that a step adds."""
    if isinstance(step, Derive):
        return (_derived_field(step.name, step.of, model),)
    if isinstance(step, Encode) and step.way == "one-hot":
        found = dataset.find(step.field.field)
        values = found.values if found is not None else ()
        return tuple(
            SemanticField(name=one_hot_name(step, value), role="measure", type="integer")
            for value in values
        )
    if isinstance(step, Split):
        return (SemanticField(name=SPLIT, role="category", type="text", values=(LEARN, TEST)),)
    return ()


def one_hot_name(step: Encode, value: str) -> str:
    """The column that is 1 where a field has this value."""
    return f"{step.field.field}_{value}"


def _after(step: Step, field: SemanticField) -> SemanticField:
    """A column as it is after a step."""
    if isinstance(step, Encode | Impute) and step.field.field == field.name:
        if isinstance(step, Encode) and step.way == "ordinal":
            made: dict[str, object] = {"role": "measure", "type": "integer", "values": (),
                                       "ordered": False, "inferred": False}  # fmt: skip
            return field.model_copy(update=made)
        if isinstance(step, Impute) and step.way in ("mean", "median") and field.type == "integer":
            return field.model_copy(update={"type": "real"})
    return field


def _derived_field(name: str, of: Expression, model: SemanticModel) -> SemanticField:
    """The field that a new column is, by the kind of its values."""
    kind = kind_of(of, model)
    if kind == "number":
        return SemanticField(name=name, role="measure", type="real", expression=of)
    if kind in ("date", "timestamp", "time"):
        return SemanticField(name=name, role="time", type=kind, expression=of)
    if kind == "boolean":
        return SemanticField(name=name, role="flag", type="boolean", expression=of)
    return SemanticField(name=name, role="text", type=kind or "other", expression=of)
