"""The cleaning and the computed columns of a semantic model as pandas statements, for the code of
analyses."""

from __future__ import annotations

from collections.abc import Iterator

from flows.analysis.compiler.frames import row_text
from flows.semantics.model import (
    Dataset,
    Fold,
    Number,
    SemanticField,
    SemanticModel,
    Time,
    Unknown,
)
from flows.semantics.query import Expression, FieldRef
from flows.semantics.row_values import of_a_row
from flows.semantics.tree import parts

_SIGNS = "€$£¥%\\s"


def meaning_lines(dataset: Dataset, model: SemanticModel, code: str) -> list[str]:
    """Statements that make the columns of the frame `data`, as far as `code` names them, what
    their fields mean, and compute those that the data do not have. Raises NoRowHasIt for a metric
    that is a figure of many rows, and FrameLimit for what a row has not by itself."""
    computed = dict(_computed(dataset, model, code))
    used = {each.field for made in computed.values() for each in parts(made)
            if isinstance(each, FieldRef)}  # fmt: skip
    known = f"{code}\n{' '.join(map(repr, sorted(used)))}"
    return [
        *_cleaning_lines(dataset, known),
        *(
            f"data = data.assign(**{{{name!r}: {row_text(made, dataset.name, model)}}})"
            for name, made in computed.items()
        ),
    ]


def _computed(
    dataset: Dataset, model: SemanticModel, code: str
) -> Iterator[tuple[str, Expression]]:
    """The computed columns that code names, and what each row has there."""
    for each in dataset.fields:
        if each.expression is not None and repr(each.name) in code:
            yield each.name, each.expression
    for metric in model.metrics:
        own = metric.dataset == dataset.name and dataset.find(metric.name) is None
        if own and repr(metric.name) in code:
            yield metric.name, of_a_row(metric)


def _cleaning_lines(dataset: Dataset, code: str) -> list[str]:
    names = {each.column: each.name for each in dataset.fields if each.column}
    renamed = {column: name for column, name in names.items() if column != name}
    lines = [f"data = data.rename(columns={renamed!r})"] if renamed else []
    lines += _totals_lines(dataset)
    for each in dataset.fields:
        if each.cleaning and each.column and repr(each.name) in code:
            column = f"data[{each.name!r}]"
            lines += [f"data = data.assign(**{{{each.name!r}: {made}}})"
                      for made in _steps(each, column)]  # fmt: skip
    return lines


def _totals_lines(dataset: Dataset) -> Iterator[str]:
    """Statements that leave out rows which are sums of others."""
    for name, values in dataset.totals:
        field = dataset.find(name)
        column = f"data[{name!r}]"
        spelled = list(_steps(field.spelled, column)) if field else []
        yield f"data = data[~{spelled[0] if spelled else column}.isin({list(values)!r})]"


def _steps(field: SemanticField, column: str) -> Iterator[str]:
    for each in field.cleaning:
        match each:
            case Unknown(values=values):
                yield f"{column}.mask({column}.isin({list(values)!r}))"
            case Fold(names=names):
                yield f"{column}.str.strip().replace({dict(names)!r})"
            case Time(format=pattern, others=others):
                ways = [f'pd.to_datetime({column}, format={form!r}, errors="coerce")'
                        for form in (pattern, *others)]  # fmt: skip
                yield ways[0] + "".join(f".fillna({way})" for way in ways[1:])
            case Number(decimal=decimal, thousands=thousands, scale=scale, left_out=texts):
                text = f'{column}.astype("str")'
                for said in texts:
                    text += f'.str.replace({said!r}, "", regex=False)'
                signs = f"[{_SIGNS}{thousands}]"
                text += f'.str.replace({signs!r}, "", regex=True)'
                for old, new in ((decimal, "."), ("(", "-"), (")", "")):
                    if old != new:
                        text += f".str.replace({old!r}, {new!r}, regex=False)"
                yield f'pd.to_numeric({text}, errors="coerce")' + f" * {scale}" * (scale != 1)
