"""What is to be handed in: the columns of the file, and what stands in them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from flows.analysis.prediction.reading.columns import column_of, names_of
from flows.analysis.prediction.reading.passages import TaskSentence
from flows.analysis.prediction.task import Predicted, SubmissionFormat
from flows.core.observation import Cell
from flows.data.tables import Column, Table, plain_name

_HEADER: Final = re.compile(
    r"[`\"']?\s*([\w .-]{1,40}(?:\s*[,;]\s*[\w .=-]{1,40}){1,30})\s*[`\"']?"
)
_NUMBER: Final = re.compile(r"-?\d+(?:\.\d+)?")
_SUBMISSION_WORD: Final = re.compile(
    r"\b(?:submi\w*|header|columns?|format|file|abgabe\w*|einzureichen\w*|spalten?|datei)\b", re.I
)


@dataclass(frozen=True, slots=True)
class Handing:
    """A format of submissions, why it is so, and what is doubtful of it."""

    format: SubmissionFormat | None
    reason: str
    doubts: tuple[str, ...] = ()


def class_columns(target: Column | None, names: Sequence[str]) -> dict[str, str]:
    """Which class of the target each of these columns stands for, if they stand for all of them:
    columns are called as the classes are, also with the target's name or another word before."""
    if target is None or len(names) < 2 or not target.values:
        return {}
    found: dict[str, str] = {}
    ending = ".0" if target.type == "real" else ""
    plain_names = {each: plain_name(each.removesuffix(ending)) for each in target.values[:2000]}
    classes = {plain: each for each, plain in plain_names.items() if plain}
    for name in names:
        plain = plain_name(name)
        alike = classes.get(plain)
        if alike is None:
            last = re.split(r"[\W_]+|(?<=[A-Za-z])(?=\d+$)", name)[-1]
            alike = classes.get(plain_name(last))
        if alike is None:
            ends = [each for each in classes if plain.endswith(each)]
            alike = classes[max(ends, key=len)] if ends else None
        if alike is None or alike in found.values():
            return {}
        found[name] = alike
    return found


def asks_for_classes(
    sample: Table | None, targets: Sequence[Column], test: Table | None
) -> dict[str, str]:
    """The class of each column of the sample submission, where it has one for each."""
    if sample is None or len(targets) != 1:
        return {}
    return class_columns(targets[0], _predicted_names(sample, test))


def _predicted_names(sample: Table, test: Table | None) -> list[str]:
    """The columns of the sample that test has not; without a test, all but the first."""
    if test is None:
        return list(names_of(sample)[1:]) or list(names_of(sample))
    kept = [each.name for each in sample.columns if not _is_known(each.name, test)]
    if not kept:  # test has the target's column, too
        kept = list(names_of(sample)[1:])
    # A number of the row that test does not have is no prediction.
    first = sample.columns[0]
    if len(kept) == len(sample.columns) > 1 and first.distinct == first.rows - first.missing:
        kept = kept[1:]
    return kept


def _is_known(name: str, test: Table) -> bool:
    found = column_of(test, name)
    return found is not None and found.missing < max(found.rows, 1)


def by_sample(
    sample: Table,
    targets: Sequence[Column],
    test: Table | None,
    values: Predicted,
    identifier: str | None,
) -> Handing:
    """The format that a sample submission shows, and where it does not fit the tables."""
    names = _predicted_names(sample, test)
    classes = asks_for_classes(sample, targets, test)
    predictions: dict[str, str] = {}
    doubts: list[str] = []
    if classes:
        predictions = {name: f"{targets[0].name}={each}" for name, each in classes.items()}
        values = "probability"
    else:
        left = [each.name for each in targets]
        for name in names:
            alike = next((each for each in left if plain_name(each) == plain_name(name)), None)
            if alike is not None:
                predictions[name] = alike
                left.remove(alike)
        open_names = [each for each in names if each not in predictions]
        if len(open_names) == len(left) == 1 or (left and len(open_names) == len(left)):
            predictions.update(zip(open_names, left, strict=True))
            if len(left) > 1:
                doubts.append(f"the sample's columns {open_names} are taken for {left} in order")
            open_names, left = [], []
        doubts += [f"the sample submission has the column {each!r}, which is neither of test nor a "
                   "target" for each in open_names]  # fmt: skip
        doubts += [f"the sample submission lacks the target {each!r}" for each in left]
    own = [each for each in names_of(sample) if each not in names]
    doubts += _row_doubts(sample, test, own)
    shown = SubmissionFormat(
        columns=names_of(sample),
        identifier=_identifier_of(own, identifier),
        predictions=predictions,
        values=values,
        rows=test.rows if test is not None else sample.rows,
    )
    return Handing(shown, "as the sample submission shows it", tuple(doubts))


def _identifier_of(own: Sequence[str], identifier: str | None) -> str | None:
    alike = [e for e in own if identifier is not None and plain_name(e) == plain_name(identifier)]
    return alike[0] if alike else own[0] if own else None


def _row_doubts(sample: Table, test: Table | None, own: Sequence[str]) -> list[str]:
    """Where the sample's rows are not those of test, as far as profiles tell."""
    if test is None:
        return []
    doubts = []
    if sample.rows != test.rows:
        doubts.append(f"the sample submission has {sample.rows:,} rows and test {test.rows:,}")
    for name in own:
        shown, known = column_of(sample, name), column_of(test, name)
        if shown is None:
            continue
        if known is None:
            doubts.append(f"test has no column {name!r}: it is taken from the sample, row by row")
            continue
        few = min(shown.distinct, known.distinct) <= 2000
        both = shown.values_complete and known.values_complete and few
        strange = _written(shown) - _written(known) if both else set()
        if strange:
            first = min(strange)
            doubts.append(
                f"the sample submission has {len(strange):,} {name} that test has not, as {first!r}"
            )
        elif (shown.minimum, shown.maximum) != (known.minimum, known.maximum) and (
            shown.rows == known.rows
        ):
            doubts.append(f"the sample submission has other {name} than test")
        if shown.distinct < shown.rows - shown.missing and known.distinct == known.rows:
            doubts.append(f"the sample submission has a {name} twice")
        if not doubts and _first_cells(sample, name) != _first_cells(test, known.name):
            doubts.append(f"the sample submission has the rows of test in another order of {name}")
    return doubts


def _written(column: Column) -> set[str]:
    """The values as text; 160.0 is 160."""
    return {each.removesuffix(".0") if column.type == "real" else each for each in column.values}


def _first_cells(table: Table, name: str) -> list[Cell]:
    at = names_of(table).index(name)
    return [row[at] for row in table.sample]


def by_text(
    texts: Sequence[TaskSentence],
    targets: Sequence[Column],
    test: Table,
    values: Predicted,
    identifier: str | None,
) -> Handing:
    """The format that a line of the text shows, else the identifier and the targets."""
    for at, passage in enumerate(texts):
        names = _header_in(passage, targets, test, texts[at + 1] if at + 1 < len(texts) else None)
        if names:
            return _by_header(names, targets, test, values)
    columns = [*([identifier] if identifier else []), *(each.name for each in targets)]
    shown = SubmissionFormat(
        columns=tuple(columns),
        identifier=identifier,
        predictions={each.name: each.name for each in targets},
        values=values,
        rows=test.rows,
    )
    return Handing(shown, "the identifier and the target, since nothing shows another format")


def _by_header(
    names: Sequence[str], targets: Sequence[Column], test: Table, values: Predicted
) -> Handing:
    own = [each for each in names if column_of(test, each) is not None]
    others = [each for each in names if each not in own]
    classes = class_columns(targets[0], others) if len(targets) == 1 else {}
    if classes:
        predictions = {name: f"{targets[0].name}={each}" for name, each in classes.items()}
        values = "probability"
    else:
        predictions = dict(zip(others, (each.name for each in targets), strict=False))
        for each in targets:
            alike = next((n for n in others if plain_name(n) == plain_name(each.name)), None)
            if alike is not None:
                predictions = {k: v for k, v in predictions.items() if v != each.name}
                predictions[alike] = each.name
    shown = SubmissionFormat(
        columns=tuple(names),
        identifier=own[0] if own else None,
        predictions=predictions,
        values=values,
        rows=test.rows,
    )
    return Handing(shown, "the text shows the head of the file")


def _header_in(
    passage: TaskSentence, targets: Sequence[Column], test: Table, after: TaskSentence | None
) -> list[str]:
    """The names of a line such as `id,price` whose first is a column of test and whose others are
    the targets, their classes, or as many as there are targets."""
    for text in _header_texts(passage):
        names = [each.strip() for each in re.split(r"[,;]", text)]
        if len(set(names)) != len(names) or any(_NUMBER.fullmatch(each) for each in names[:1]):
            continue
        own = [each for each in names if column_of(test, each) is not None]
        others = [each for each in names if each not in own]
        if not own or names[0] != own[0] or not others:
            continue
        alike = {plain_name(each) for each in others} == {plain_name(e.name) for e in targets}
        by_class = len(targets) == 1 and bool(class_columns(targets[0], others))
        shown = passage.is_code and after is not None and after.is_code
        if alike or by_class or (shown and len(others) == len(targets)):
            return names
    return []


def _header_texts(passage: TaskSentence) -> list[str]:
    if passage.is_code:
        return [passage.text]
    if not _SUBMISSION_WORD.search(f"{passage.section} {passage.text}"):
        return []
    quoted = re.findall(r"[`\"]([^`\"]*[,;][^`\"]*)[`\"]", passage.text)
    whole = [passage.text] if _HEADER.fullmatch(passage.text) and " " not in passage.text else []
    return [*quoted, *whole]
