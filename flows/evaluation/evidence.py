"""What an analysis found out about columns: how they rank, which way they go, who has the most."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from flows.core.observation import Preview
from flows.evaluation.analysis import AnalystOutcome, Sentence
from flows.evaluation.directions import said_sign
from flows.evaluation.names import names, naming

_SIGNED: Final = re.compile(
    r"corr|coef|slope|effect|estimate|beta|pearson|spearman|kendall|^r$|_r$", re.IGNORECASE
)
_UNSIGNED: Final = re.compile(r"abs|squared|r2|p_?value|error|std", re.IGNORECASE)
_WEIGHING: Final = re.compile(r"importan|weight|strength|relevance|score", re.IGNORECASE)
_FEW: Final = 3
_SUPERLATIVES: Final = {
    "highest": r"highest|most|largest|biggest|greatest|best|top|leads?|leading|maximum|first",
    "lowest": r"lowest|least|smallest|fewest|worst|bottom|trails?|minimum|last",
}


def rankings(found: AnalystOutcome, target: str = "") -> Iterator[tuple[str, ...]]:
    """Columns in the order in which they count: by models' importances, else by tables."""
    models = [each for each in found.models if not target or each.target == target]
    for model in models:
        if model.importances:
            order = sorted(model.importances, key=lambda each: -abs(each.importance))
            yield tuple(each.feature for each in order)
    if not any(each.importances for each in found.models):
        for table in found.tables:
            yield from _ranked(table, target)


def signs(found: AnalystOutcome, name: str, target: str = "") -> tuple[list[int], list[int]]:
    """Which way it goes with the target: as the reader is told, and as tables and models say."""
    told = [sign for each in found.sentences() if names(each.text, name)
            for sign in _told_signs(found, each, name)]  # fmt: skip
    computed = [sign for table in found.tables for sign in _table_signs(table, name, target)]
    for model in found.models:
        if target and model.target != target:
            continue
        weights = sorted(model.importances, key=lambda each: -abs(each.importance))[:_FEW]
        computed += [_sign(each.effect) for each in weights if each.feature == name and each.effect]
    return told, computed


def superlative(found: AnalystOutcome, which: str, groups: Sequence[str]) -> Iterator[str]:
    """Of which group each sentence says that it is the highest (or lowest): the nearest one."""
    words = re.compile(rf"\b(?:{_SUPERLATIVES[which]})\b", re.IGNORECASE)
    for sentence in found.sentences():
        spots = [
            (match, group) for group in groups for match in naming(group).finditer(sentence.text)
        ]
        if not spots:
            continue
        for word in words.finditer(sentence.text):
            yield min(spots, key=lambda spot: _distance(spot[0].span(), word.span()))[1]


def _distance(one: tuple[int, int], other: tuple[int, int]) -> int:
    return max(other[0] - one[1], one[0] - other[1], 0)


def _told_signs(found: AnalystOutcome, sentence: Sentence, name: str) -> Iterator[int]:
    """By the measures that the sentence cites, else by its words."""
    measures = [each for each in sentence.citations if _is_signed(each.column or "")]
    own = []
    for each in measures:
        texts = [cell for cell in found.cells(each).values() if isinstance(cell, str)]
        if name in texts or (len(measures) == 1 and not texts):
            own.append(_sign(each.value))
    if any(own):
        yield from filter(None, own)
    elif sign := said_sign(sentence.text, name):
        yield sign


def _table_signs(table: Preview, name: str, target: str) -> Iterator[int]:
    """The signs of measures in rows that name the column (and the target, where they name two)."""
    measures = [at for at, column in enumerate(table.columns) if _is_signed(column)]
    for row in table.rows:
        texts = [cell for cell in row if isinstance(cell, str)]
        if name in texts and (len(texts) < 2 or not target or target in texts or texts[0] == name):
            yield from filter(None, (_sign(row[at]) for at in measures))


def _ranked(table: Preview, target: str) -> Iterator[tuple[str, ...]]:
    """The columns that a table lists: by the measure beside them, else as they stand there."""
    by_name = [at for at, column in enumerate(table.columns) if _is_measure(column)]
    for at in range(len(table.columns)):
        cells = [row for row in table.rows if isinstance(row[at], str) and row[at] != target]
        if len(cells) < 2 or len(cells) < len(table.rows) - 1:
            continue
        if by_name:
            cells = sorted(cells, key=lambda row: -abs(_number(row[by_name[0]])))
        yield tuple(dict.fromkeys(str(row[at]) for row in cells))


def _is_measure(column: str) -> bool:
    return _is_signed(column) or bool(_WEIGHING.search(column))


def _is_signed(column: str) -> bool:
    return bool(_SIGNED.search(column)) and not _UNSIGNED.search(column)


def _number(value: Any) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def _sign(value: Any) -> int:
    number = _number(value)
    return (number > 0) - (number < 0)
