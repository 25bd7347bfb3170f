"""Where the values of a column lie: histograms, boxes, violins, statistics."""

from __future__ import annotations

import re
from collections.abc import Sequence

from flows.analysis.reading.read import Unread
from flows.analysis.study.about import (
    GROUPS,
    LISTED,
    about,
    group_of,
    more,
    names,
    over,
    place,
    text,
)
from flows.analysis.study.operation import (
    CHART,
    MOST_COLUMNS,
    Call,
    Operation,
    Request,
    Row,
    no_numbers,
    numbers_in,
    plots,
    setting,
    words,
)
from flows.analysis.study.operations.correlation import group_left
from flows.analysis.study.plan import Study
from flows.data.tables import Column


def of_numbers(request: Request, kind: str, method: str = "") -> Study | Unread:
    """Studies of numbers: of those that were named, else of all measures of the table."""
    columns, group = group_left(request, 1)
    if wrong := no_numbers(columns, _WHAT.get(kind, kind)):
        return wrong
    named = [c.name for c in columns]
    if not named:
        measures = [name for name in request.measures if name != group]
        named = measures[: LISTED if group else MOST_COLUMNS]
    if not named:
        table = request.draft.schema.table.name
        return Unread(f"{table} has no column of measured numbers")
    number = int(request.settings.get("number", 0) or 0)
    return request.study(kind, named, group=group, method=method, number=number)


_WHAT = {"box": "box plot", "normality": "a test of normality"}


def _read_histogram(request: Request) -> Study | Unread:
    columns, group = group_left(request, 1)
    if len(columns) == 1 and not _is_spread(columns[0], request):
        column = columns[0]
        return request.study("histogram", [column.name], group=group, method="frequencies")
    return of_numbers(request, "histogram")


def _is_spread(column: Column, request: Request) -> bool:
    """Whether values are numbers, and not only asked how often each stands there."""
    often = re.search(r"how often|frequency (?:table|distribution)", request.text, re.IGNORECASE)
    return plots(column) and not (often and column.distinct <= 20)


def _histogram_calls(study: Study, title: str) -> list[Call]:
    columns = list(study.columns)
    if study.method == "frequencies":
        return [Call("result", "frequencies", (columns[0], study.group, title))]
    return [Call("result", "histogram", (columns, study.group, study.number, title))]


def _say_histogram(study: Study, rows: Sequence[Row], total: int) -> str:
    if study.method == "frequencies":
        return _say_frequencies(study, rows, total)
    said = []
    for row in rows[:LISTED]:
        head = f"{text(row, 'column')}{about(study)}"
        head = f"{group_of(study, row)}: {head}" if study.group else head
        said.append(
            f"{head} lies between {text(row, 'minimum')} and {text(row, 'maximum')}, with a mean "
            f"of {text(row, 'mean')} and a median of {text(row, 'median')} ({over(row)}); most "
            f"values, {text(row, 'fullest_rows')}, are from {text(row, 'fullest_from')} to "
            f"{text(row, 'fullest_to')}"
        )
    return f"{'. '.join(said)}{more(rows, total, LISTED, 'histograms')}."


def _say_frequencies(study: Study, rows: Sequence[Row], total: int) -> str:
    column = study.columns[0]
    said = []
    for row in rows[:GROUPS]:
        name = ", ".join(text(row, key) for key in (study.group, column) if key)
        said.append(f"{name}: {text(row, 'rows')} ({text(row, 'percent')} %)")
    rest = more(rows, total, GROUPS, "values")
    return f"The rows of each {names([column])}{about(study)}{rest}: {'; '.join(said)}."


HISTOGRAM = Operation(
    kind="histogram",
    read=_read_histogram,
    calls=_histogram_calls,
    say=_say_histogram,
    needs=("rows",),
    words=(
        rf"histograms?|(?:frequency |value )?distributions?(?: {CHART})?|distributed|"
        rf"density {CHART}|frequency (?:{CHART}|table)"
    ),
    noun=r"histograms?",
    includes=words("chart"),
    settings=(
        setting("number", r"(?:,? *(?:with|in|into|using|of|and) )?(?P<value>\d{1,3}) (?:bins?|"
                          r"bars|"
                r"buckets|classes)\b"),
        setting("often", r"\bhow often (?:did|does|do|has|have|is|was)(?: each| every)? \w+ \w+\?"),
    ),
    around=words("histogram distribution distributed spread looks like frequency often how win"),
)  # fmt: skip


def _read_box(request: Request) -> Study | Unread:
    return of_numbers(request, "box", request.settings.get("style", ""))


def _box_calls(study: Study, title: str) -> list[Call]:
    told = (list(study.columns), study.group, study.method == "violin", title)
    return [Call("result", "box", told)]


def _say_box(study: Study, rows: Sequence[Row], total: int) -> str:
    said = []
    for row in rows[:GROUPS]:
        name = group_of(study, row) or text(row, "column")
        if study.group and len(study.columns) > 1:
            name = f"{name}, {text(row, 'column')}"
        said.append(
            f"{name}: median {text(row, 'median')}, the middle half from {text(row, 'q1')} to "
            f"{text(row, 'q3')}, {counted(row)} of {text(row, 'rows')} values"
        )
    what, rest = names(study.columns), more(rows, total, GROUPS, "boxes")
    by = f" by {names([study.group])}" if study.group else ""
    drawn = "violin plot" if study.method == "violin" else "box plot"
    return f"The {drawn} of {what}{by}{about(study)}{rest} shows: {'; '.join(said)}."


def counted(row: Row) -> str:
    """So many outliers."""
    return f"{text(row, 'outliers')} outlier{'' if row['outliers'].value == 1 else 's'}"


BOX = Operation(
    kind="box",
    read=_read_box,
    calls=_box_calls,
    say=_say_box,
    needs=("column", "median", "q1", "q3", "outliers", "rows"),
    words=(
        rf"(?:as |with )?(?:an? )?box[- ]?(?:and[- ]?whiskers?[- ]?)?{CHART}|whisker {CHART}|"
        rf"(?:as |with )?(?:an? )?violin[- ]?{CHART}?s?"
    ),
    noun=rf"box[- ]?{CHART}|violin[- ]?{CHART}?",
    includes=words("histogram chart outliers"),
    settings=(setting("style", r"\bviolin(?=s?\b)", "violin", leave="violin"),),
    around=words("distribution compare comparing spread box violin"),
)  # fmt: skip

_FIVE = ("minimum", "q1", "median", "q3", "maximum")
_QUARTILES = ("q1", "median", "q3")
_USUAL = ("mean", "std", "minimum", "q1", "median", "q3", "maximum", "skewness")
# What is asked for by name is said, and nothing else.
_ASKED: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"five[- ]number", _FIVE),
    (r"standard error", ("standard_error",)),
    (r"confidence", ("mean", "ci_low", "ci_high")),
    (r"\bmean\b|\baverage\b", ("mean",)),
    (r"\bmedian (?:absolute )?deviation|\bmad\b", ("mad",)),
    (r"\bmedians?\b(?! abs)", ("median",)),
    (r"standard deviation|\bstd|\bstdev|\bstddev|\bsd\b|how (?:spread|dispersed|"
     r"variable)", ("std",)),
    (r"coefficients? of variation|relative standard deviation", ("cv",)),
    (r"\bvariances?\b", ("variance",)),
    (r"\bskew", ("skewness",)),
    (r"\bkurtosis|\btailed", ("kurtosis",)),
    (r"inter-?quartile|\biqr\b", ("iqr", "q1", "q3")),
    (r"(?<!inter)(?<!inter-)\b(?:quartiles?|quantiles)\b", _QUARTILES),
    (r"(?<!quartile )\brange\b", ("range", "minimum", "maximum")),
    (r"\bmodes?\b", ("mode",)),
    (r"\bmin(?:imum)?\b", ("minimum",)),
    (r"\bmax(?:imum)?\b", ("maximum",)),
)  # fmt: skip
_CALLED = {
    "std": "standard deviation", "q1": "first quartile", "q3": "third quartile",
    "iqr": "interquartile range", "cv": "coefficient of variation",
    "mad": "median absolute deviation", "standard_error": "standard error of the mean",
    "ci_low": "confidence interval (ninety-five percent) of the mean from", "ci_high": "to",
}  # fmt: skip


def _read_summary(request: Request) -> Study | Unread:
    percentiles = numbers_in(request.settings.get("percentiles", ""))
    if any(not 0 < each < 100 for each in percentiles):
        return Unread("a percentile lies between 0 and 100")
    request.settings["percentiles"] = " ".join(f"{each:g}" for each in percentiles)
    plain = request.text.casefold()
    keys = [key for pattern, made in _ASKED if re.search(pattern, plain) for key in made]
    if "mad" in keys and "median" in keys:
        keys.remove("median")
    if "mean" in keys and re.search(r"error of the mean|for the mean", plain):
        keys = [key for key in keys if key != "mean" or "ci_low" in keys]
    if re.search(r"\b(?:summar|descriptive|stats\b)", plain):
        keys = [*_USUAL, *keys]
    request.settings["asked"] = " ".join(dict.fromkeys(keys))
    return of_numbers(request, "summary")


def _summary_calls(study: Study, _title: str) -> list[Call]:
    percentiles = numbers_in(study.setting("percentiles"))
    asked = study.setting("asked").split()
    doubts = "mean" in asked or not (asked or percentiles)
    return [Call("result", "summarize", (list(study.columns), study.group, percentiles, doubts))]


def _say_summary(study: Study, rows: Sequence[Row], total: int) -> str:
    extra = [f"p{each:g}" for each in numbers_in(study.setting("percentiles"))]
    asked = [*extra, *study.setting("asked").split()] or list(_USUAL)
    called = {**_CALLED, **{key: f"{_ordinal(key[1:])} percentile" for key in extra}}
    said = []
    for row in rows[:LISTED]:
        keys = [key for key in asked if key in row]
        stats = ", ".join(f"{called.get(key, key)} {text(row, key)}" for key in keys)
        said.append(f"{place(study, row)} ({over(row)}): {stats}")
    rest = more(rows, total, LISTED, "rows")
    return f"Statistics{about(study)}{rest}: {'; '.join(said)}."


def _ordinal(number: str) -> str:
    last = (
        "th"
        if number[-2:] in ("11", "12", "13")
        else {"1": "st", "2": "nd", "3": "rd"}.get(number[-1], "th")
    )
    return f"{number}{last}"


SUMMARY = Operation(
    kind="summary",
    read=_read_summary,
    calls=_summary_calls,
    say=_say_summary,
    needs=("column", "mean", "std", "median", "rows"),
    words=(
        r"(?:summary|descriptive|basic|key) (?:statistics?|stats)|five[- ]number summary|"
        r"standard deviations?|std\.?(?: ?dev)?|stdev|stddev|variances?|skewness|skewed|skew|"
        r"kurtosis|quartiles?|quantiles?|percentiles?|inter[- ]?quartile range|iqr|"
        r"statistical(?:ly)? (?:summar(?:y|i[sz]e)|describe)|(?:summari[sz]e|describe) "
        r"statistically|"
        r"coefficients? of variation|standard errors?(?: of the mean)?|"
        r"(?:\d+ ?(?:%|percent) )?confidence intervals?(?: (?:for|of) the (?:mean|average))?|"
        r"median absolute deviation|mode(?= of)|(?:what(?:['\u2019]s| is)|give me) the range(?= of)"
    ),
    noun=r"standard deviations?|percentiles?|kurtosis|skewness|confidence intervals?",
    includes=words("histogram growth"),
    settings=(
        setting("percentiles", r"\b(?P<value>\d{1,2}(?:\.\d+)?(?:st|nd|rd|th)?(?:(?:,| and|, and) "
                               r"(?:"
                r"the )?\d{1,2}(?:\.\d+)?(?:st|nd|rd|th)?)*)[- "
                r"]percentiles?\b", leave="percentile"),
        setting("percentiles", r"\b(?P<value>\d{1,2}(?:\.\d+)?) ?% (?:quantile|percentile)\b",
                leave="percentile"),
        setting("level", r"\b95 ?(?:%|percent) (?=confidence)"),
    ),
    around=words(
        """mean median average minimum maximum min max count range mode center spread out statistics
        stats statistic summary most common frequent i.e e.g dispersed standard deviation for which
        has value"""
    ),
)  # fmt: skip
