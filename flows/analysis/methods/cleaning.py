"""The cleaning of a semantic model as pandas statements, for the code of analyses."""

from __future__ import annotations

from collections.abc import Iterator

from flows.semantics.model import Dataset, Fold, Number, SemanticField, Time, Unknown

_SIGNS = "€$£¥%\\s"


def cleaning_lines(dataset: Dataset, code: str) -> list[str]:
    """Statements that make the columns of the frame `data`, as far as `code` names them, what
    their fields mean, and leave out rows of totals."""
    names = {each.column: each.name for each in dataset.fields if each.column}
    renamed = {column: name for column, name in names.items() if column != name}
    lines = [f"data = data.rename(columns={renamed!r})"] if renamed else []
    for each in dataset.fields:
        if each.cleaning and each.column and repr(each.name) in code:
            column = f"data[{each.name!r}]"
            lines += [f"data = data.assign(**{{{each.name!r}: {made}}})"
                      for made in _steps(each, column)]  # fmt: skip
    for name, values in dataset.totals:
        lines.append(f"data = data[~data[{name!r}].isin({list(values)!r})]")
    return lines


def _steps(field: SemanticField, column: str) -> Iterator[str]:
    for each in field.cleaning:
        match each:
            case Unknown(values=values):
                yield f"{column}.mask({column}.isin({list(values)!r}))"
            case Fold(names=names):
                yield f"{column}.str.strip().replace({dict(names)!r})"
            case Time(format=pattern):
                yield f'pd.to_datetime({column}, format={pattern!r}, errors="coerce")'
            case Number(decimal=decimal, thousands=thousands, scale=scale):
                signs = f"[{_SIGNS}{thousands}]"
                text = f'{column}.astype("str").str.replace({signs!r}, "", regex=True)'
                for old, new in ((decimal, "."), ("(", "-"), (")", "")):
                    if old != new:
                        text += f".str.replace({old!r}, {new!r}, regex=False)"
                yield f'pd.to_numeric({text}, errors="coerce")' + f" * {scale}" * (scale != 1)
