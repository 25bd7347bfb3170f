"""The fields of a form filled from results: each with the figure that its name stands for."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Sequence
from dataclasses import dataclass

from flows.analysis.tasks.figures import RequestResult, ResultFigure, figures_of
from flows.analysis.tasks.form import AnswerField
from flows.analysis.tasks.settings import Limit, TaskSettings
from flows.analysis.tasks.statistics import spoken, statistic_in
from flows.analysis.tasks.text import TaskText
from flows.core.observation import Cell

_HOLDS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
_NO = ("no", "none", "false", "fail to reject", "not reject")
_PREFIXES = ("not ", "non ", "non", "in", "un", "ab", "no ", "fail to ")
_VERDICT = re.compile(
    r"\b(?:is|has|are|normal|normality|significan\w+|type|relationship|conclusion|verdict|"
    r"hypothesis|decision)\b"
)
_RATE = re.compile(r"\b(?:rates?|percent(?:age)?|pct|shares?|proportion|ratio)\b")
_USUAL_ALPHA = 0.05
# The figures that rules and levels are about.
_DECIDING = ("p_value", "correlation", "statistic", "skewness")
_ORDINALS = {"first": "1", "second": "2", "third": "3", "fourth": "4", "fifth": "5"}


@dataclass(frozen=True, slots=True)
class Filled:
    """The values of the fields that were found, as they are written, and what is not sure."""

    values: dict[str, Cell]
    texts: dict[str, str]
    doubts: tuple[str, ...]

    @property
    def line(self) -> str:
        """The fields in the form that was asked for."""
        return " ".join(f"@{name}[{text}]" for name, text in self.texts.items())


def fill(task: TaskText, results: Sequence[RequestResult]) -> Filled:
    """The fields of a task, as far as its results hold them."""
    figures = [each for result in results for each in figures_of(result, task.bins)]
    made = Filled({}, {}, ())
    doubts: list[str] = []
    taken: dict[ResultFigure, str] = {}
    for each in task.form.fields:
        if _is_verdict(each, task.settings):
            value, doubt = _verdict(each, task.settings, figures)
        else:
            figure, doubt = _figure(each, task.settings, figures)
            value = _scaled(figure, each, task.settings) if figure is not None else None
            if figure is not None and (other := taken.setdefault(figure, each.name)) != each.name:
                doubt = f"@{other} is the same figure"
        if doubt:
            doubts.append(f"@{each.name}: {doubt}.")
        if value is not None:
            decimals = each.decimals if each.decimals is not None else task.settings.decimals
            made.values[each.name], made.texts[each.name] = _written(value, decimals)
    return Filled(made.values, made.texts, tuple(doubts))


def _written(value: Cell, decimals: int | None) -> tuple[Cell, str]:
    """A value as it is kept and as it is written."""
    if isinstance(value, bool) or not isinstance(value, float):
        return value, str(value)
    if decimals is None:
        return (int(value), str(int(value))) if value.is_integer() else (value, str(value))
    if decimals == 0:
        return round(value), str(round(value))
    return round(float(value), decimals), f"{value:.{decimals}f}"


def _figure(
    field: AnswerField, settings: TaskSettings, figures: Sequence[ResultFigure]
) -> tuple[ResultFigure | None, str]:
    """The one figure that the name of a field means, and what is not sure of it."""
    statistic, words = statistic_in(field.name)
    if not statistic:
        statistic = statistic_in(field.holder)[0]
    found = [each for each in figures if each.statistic == statistic]
    if not found and (not statistic or statistic == "percent"):
        words = tuple(each for each in words if each != "rate")
        found = [each for each in figures if each.principal]
    if settings.deviation == "population" and statistic in ("deviation", "variance"):
        found = [each for each in found if each.column.startswith("population_")]
    else:
        found = [each for each in found if not each.column.startswith("population_")]
    unknown = []
    for word in words:
        said = {word, _ORDINALS.get(word, word)}
        labelled = [each for each in found if said & each.labels]
        about = [each for each in found if said & each.about or _has(each.about, word)]
        if labelled or about:
            found = labelled or about
        else:
            unknown.append(word)
    if len({(each.value, each.column) for each in found}) != 1:  # of the same in each row is one
        return None, "no figure of the result is it" if not found else "several figures may be it"
    value = found[0].value
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return None, "it has no value"
    named = " ".join(unknown)
    return found[0], f"what was computed has no {named!r} in it" if unknown else ""


def _has(words: frozenset[str], word: str) -> bool:
    """Whether a word is one of these, also in another form or as a part of a longer one."""
    if word in words:
        return True
    longer = [each for each in words if len(each) >= 3 and len(word) >= 3]
    return any(
        word.rstrip("s") == each.rstrip("s")
        or (len(word) > 3 and word in each)
        or (len(word) > 4 and word[:5] == each[:5])
        for each in longer
    )


def _scaled(figure: ResultFigure, field: AnswerField, settings: TaskSettings) -> Cell:
    """The value as a percentage or as a part of one, as it is wanted."""
    value = figure.value
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    if figure.statistic == "percent":
        return value / 100 if settings.percent is False else value
    rate = _RATE.search(spoken(field.name)) is not None and figure.statistic == "average"
    wanted = settings.percent or (settings.percent is None and field.percent)
    return value * 100 if rate and wanted else value


def _is_verdict(field: AnswerField, settings: TaskSettings) -> bool:
    """Whether a field says what follows from a figure, and is none itself."""
    text = spoken(field.name)
    if len(field.choices) > 1:
        return True
    said = bool(_VERDICT.search(text)) and not statistic_in(field.name)[0]
    return said and (bool(settings.rules) or text.startswith(("is ", "has ", "are ")))


def _verdict(
    field: AnswerField, settings: TaskSettings, figures: Sequence[ResultFigure]
) -> tuple[Cell, str]:
    """What the rules of the task, or the level of the test, say of its one result."""
    row: dict[str, float] = {}
    for each in figures:
        value = each.value
        if isinstance(value, bool) or not isinstance(value, int | float):
            continue
        if row.get(each.statistic, value) != value and each.statistic in _DECIDING:
            return None, "several results may decide it"
        row[each.statistic] = float(value)
    row["coefficient"] = row.get("correlation", math.nan)
    if settings.rules:
        return _by_rules(field, settings, row)
    if "p_value" not in row or math.isnan(row["p_value"]):
        return None, "nothing that was computed decides it"
    positive = row["p_value"] < (settings.alpha or _USUAL_ALPHA)
    rejects = any("reject" in each.lower() for each in field.choices)
    if not rejects and any(each.column == "normal" for each in figures):
        positive = not positive
    return _choice(field, positive=positive)


def _by_rules(
    field: AnswerField, settings: TaskSettings, row: dict[str, float]
) -> tuple[Cell, str]:
    for rule in settings.rules:
        if any(math.isnan(row.get(limit.quantity, math.nan)) for limit in rule.limits):
            return None, "a rule asks for what was not computed"
        if all(_holds(limit, row) for limit in rule.limits):
            return _chosen(rule.label, field)
    return None, "none of the rules holds"


def _holds(limit: Limit, row: dict[str, float]) -> bool:
    value = row[limit.quantity]
    return bool(_HOLDS[limit.operator](abs(value) if limit.size else value, limit.number))


def _chosen(label: str, field: AnswerField) -> tuple[Cell, str]:
    """The choice that a rule's label means: the same words, or the one that says no as it does."""
    if not field.choices:
        return label, ""
    plain = spoken(label)
    same = [e for e in field.choices if spoken(e).replace(" ", "") == plain.replace(" ", "")]
    within = [
        each
        for each in field.choices
        if re.search(rf"\b(?<!not )(?<!non )(?<!no ){re.escape(spoken(each))}\b", plain)
    ]
    if not same and not within and re.search(r"\b(?:no|not)\b", plain):
        within = [each for each in field.choices if re.fullmatch(r"no|none|not .*", spoken(each))]
    found = same or sorted(within, key=len)[-1:]
    return (found[0], "") if len(found) == 1 else (None, f"{label!r} is none of the choices")


def _choice(field: AnswerField, *, positive: bool) -> tuple[Cell, str]:
    """The choice that says yes or no."""
    if not field.choices:
        return positive, ""
    said = {spoken(each) for each in field.choices}
    opposites = {prefix + each for each in said for prefix in _PREFIXES}
    negative = [each for each in field.choices if spoken(each) in (*_NO, *opposites)]
    others = [each for each in field.choices if each not in negative]
    if len(negative) != 1 or len(others) != 1:
        return None, "it is not said when each of the choices holds"
    return (others if positive else negative)[0], ""
