"""Whether an analysis that somebody asks for can be made, and if not, why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import get_close_matches

from flows.analysis.methods.arguments import Arguments
from flows.analysis.methods.catalog import BY_NAME, METHODS
from flows.analysis.methods.method import Method
from flows.analysis.methods.request_arguments import given_from
from flows.analysis.methods.specification import Specification
from flows.data.tables import Table
from flows.semantics.model import Dataset
from flows.semantics.query import FieldRef
from flows.semantics.request import Analysis


def arguments_for(request: Analysis, dataset: Dataset, table: Table) -> Arguments:
    """What the method of an analysis is given, of a dataset and the profile of its table.

    Raises ValueError with all that is wrong, in words: a method that is not known, a field that the
    dataset does not have or that does not hold what the method needs, a value that cannot be.
    """
    if wrong := [*_unknown(request.method), *_absent(request, dataset)]:
        raise ValueError("; ".join(wrong))
    model: type[Arguments] = BY_NAME[request.method].arguments
    made = given_from(model, request.arguments)
    if faults := (*_identifying(made, dataset), *made.faults(table)):
        raise ValueError("; ".join(faults))
    return made


def follow_ups(study: Specification[Arguments]) -> tuple[Specification[Arguments], ...]:
    """What to ask of the same rows after an analysis; only what its table can answer."""
    method: Method[Arguments] = BY_NAME[study.kind]
    found = []
    for each in method.follow_ups(study):
        made = BY_NAME[each.method].arguments.model_validate(dict(each.given))
        if not made.faults(study.table):
            found.append(study.with_arguments(made))
    return tuple(found)


def _unknown(name: str) -> Iterator[str]:
    if name in BY_NAME:
        return
    names = [each.name for each in METHODS]
    near = get_close_matches(name, names, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(sorted(names))}"
    yield f"no method is called {name!r}; {hint}"


def _absent(request: Analysis, dataset: Dataset) -> Iterator[str]:
    for argument in request.arguments:
        for value in argument.values:
            if not isinstance(value, FieldRef):
                continue
            if value.dataset != dataset.name:
                yield (f"{argument.name}: {value.field} is of {value.dataset}, and the rows are of "
                       f"{dataset.name}")  # fmt: skip
            elif dataset.find(value.field) is None:
                yield f"{argument.name}: {dataset.name} has no field {value.field!r}"


def _identifying(made: Arguments, dataset: Dataset) -> Sequence[str]:
    """Fields that only identify rows, where a method computes with numbers."""
    found = [
        name
        for _, name, holds in made.named()
        if holds.what == "numbers"
        and (field := dataset.find(name)) is not None
        and field.role == "identifier"
    ]
    if not found:
        return ()
    return (f"{' and '.join(dict.fromkeys(found))} only identifies rows, and {made.label()} "
            "computes with its numbers",)  # fmt: skip
