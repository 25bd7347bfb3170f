"""What a study found, in a sentence or two made of the cells of its result only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from flows.analysis.compile import term_name
from flows.analysis.plan import Plan
from flows.analysis.study.compile import rows_words
from flows.analysis.study.plan import Study
from flows.analysis.telling.answer import answer, listing
from flows.analysis.telling.told import Told, foreign, tell
from flows.analysis.telling.wording import in_words
from flows.core.observation import Cell

Row = Mapping[str, Told]
_LISTED = 6
_GROUPS = 12


def study_answer(
    study: Study,
    columns: Sequence[str],
    rows: Sequence[Sequence[Cell]],
    total: int,
    result: str | None = None,
) -> str:
    """Say what the result of a study says; a result of another shape is listed as it is.

    With the name of the `result` that keeps them, numbers are references to its cells.
    """
    if not rows:
        return foreign(f"No row of {study.table.name}{rows_words(study)} answers this.")
    if study.chart is not None:
        return _charted(study.chart, columns, rows, total, result)
    say, needed = _SAYERS[study.kind]
    if study.method == "frequencies":
        say, needed = _frequencies, ("rows", "percent")
    if any(each not in columns for each in needed):
        return listing(columns, rows, total, result)
    told = tell(columns, rows, result)
    return say(study, [dict(zip(columns, row, strict=True)) for row in told], total)


def _charted(
    plan: Plan,
    columns: Sequence[str],
    rows: Sequence[Sequence[Cell]],
    total: int,
    result: str | None,
) -> str:
    """As the question of the same result is answered, when its columns stand as the plan's do."""
    names = [term_name(each) for each in plan.columns]
    if list(columns) != names:
        return listing(columns, rows, total, result)
    return answer(plan, columns, rows, total, result)


def _text(row: Row, key: str) -> str:
    return row[key].text()


def _group(study: Study, row: Row) -> str:
    return _text(row, study.group) if study.group else ""


def _about(study: Study) -> str:
    return foreign(rows_words(study))


def _names(names: Sequence[str]) -> str:
    return foreign(" and ".join(names))


def _over(row: Row) -> str:
    """How many rows it is about, and how many were left out because a value is missing."""
    left = row.get("left_out", row.get("missing"))
    out = f", {left.text()} left out because a value is missing" if left and left.value else ""
    return f"over {_text(row, 'rows')} rows{out}"


def _more(rows: Sequence[Row], total: int, most: int, what: str) -> str:
    shown = min(len(rows), most)
    return f" ({in_words(shown)} of {total:,} {what})" if total > shown else ""


def _correlation(study: Study, rows: Sequence[Row], total: int) -> str:
    method = "Spearman" if study.method == "spearman" else "Pearson"
    about = _about(study)
    if len(rows) == 1 and total == 1:
        row = rows[0]
        pair = f"{_text(row, 'first')} and {_text(row, 'second')}"
        if row["correlation"].value is None:
            return f"The correlation of {pair}{about} cannot be computed."
        value = f"{_text(row, 'correlation')}, {_strength(row['correlation'].value)}"
        return f"The correlation of {pair}{about} is {value} ({method}, {_over(row)})."
    said = []
    for row in rows[:_LISTED]:
        pair = f"{_text(row, 'first')} and {_text(row, 'second')}"
        name = f"{_group(study, row)}, {pair}" if study.group and total > _LISTED else pair
        if study.group and len(study.columns) == 2:
            name = _group(study, row)
        said.append(f"{name}: {_text(row, 'correlation')}")
    of = f" of {_names([study.target])} with the others" if study.target else ""
    if study.group and len(study.columns) == 2:
        of = f" of {_names(study.columns)} for each {_names([study.group])}"
    same = len({row["rows"].value for row in rows}) == 1
    over = f", {_over(rows[0])}" if same and not study.group else ""
    more = _more(rows, total, _LISTED, "pairs")
    return f"The strongest correlations{of}{about} ({method}{over}){more}: {'; '.join(said)}."


def _strength(value: Cell) -> str:
    size = abs(value) if isinstance(value, int | float) else 0.0
    if size < 0.1:
        return "so next to none"
    way = "positive" if isinstance(value, int | float) and value > 0 else "negative"
    return f"{'weak' if size < 0.3 else 'moderate' if size < 0.5 else 'strong'} and {way}"


def _scatter(study: Study, rows: Sequence[Row], total: int) -> str:
    about = _about(study)
    said = []
    for row in rows[:_GROUPS]:
        head = f"{_group(study, row)}: " if study.group else ""
        said.append(f"{head}a correlation of {_text(row, 'correlation')} {_over(row)}")
    x, y = (_names([each]) for each in study.columns)
    more = _more(rows, total, _GROUPS, "groups")
    return f"The scatter plot of {y} over {x}{about} shows{more} {'; '.join(said)}."


def _histogram(study: Study, rows: Sequence[Row], total: int) -> str:
    about = _about(study)
    said = []
    for row in rows[:_LISTED]:
        head = f"{_text(row, 'column')}{about}"
        head = f"{_group(study, row)}: {head}" if study.group else head
        said.append(
            f"{head} lies between {_text(row, 'minimum')} and {_text(row, 'maximum')}, with a mean "
            f"of {_text(row, 'mean')} and a median of {_text(row, 'median')} ({_over(row)}); most "
            f"values, {_text(row, 'fullest_rows')}, are from {_text(row, 'fullest_from')} to "
            f"{_text(row, 'fullest_to')}"
        )
    return f"{'. '.join(said)}{_more(rows, total, _LISTED, 'histograms')}."


def _frequencies(study: Study, rows: Sequence[Row], total: int) -> str:
    column = study.columns[0]
    said = []
    for row in rows[:_GROUPS]:
        name = ", ".join(_text(row, key) for key in (study.group, column) if key)
        said.append(f"{name}: {_text(row, 'rows')} ({_text(row, 'percent')} %)")
    more = _more(rows, total, _GROUPS, "values")
    return f"The rows of each {_names([column])}{_about(study)}{more}: {'; '.join(said)}."


def _box(study: Study, rows: Sequence[Row], total: int) -> str:
    said = []
    for row in rows[:_GROUPS]:
        name = _group(study, row) or _text(row, "column")
        if study.group and len(study.columns) > 1:
            name = f"{name}, {_text(row, 'column')}"
        said.append(
            f"{name}: median {_text(row, 'median')}, the middle half from {_text(row, 'q1')} to "
            f"{_text(row, 'q3')}, {_count(row)} of {_text(row, 'rows')} values"
        )
    what, more = _names(study.columns), _more(rows, total, _GROUPS, "boxes")
    by = f" by {_names([study.group])}" if study.group else ""
    return f"The box plot of {what}{by}{_about(study)}{more} shows: {'; '.join(said)}."


def _regression(study: Study, rows: Sequence[Row], total: int) -> str:
    first, about, target = rows[0], _about(study), _names([study.target])
    terms = [row for row in rows if row["term"].value != "intercept"]
    said = [f"{_text(row, 'term')}: {_text(row, 'coefficient')}" for row in terms[:_LISTED]]
    said += [
        f"intercept: {_text(r, 'coefficient')}" for r in rows if r["term"].value == "intercept"
    ]
    more = _more(terms, total - 1, _LISTED, "terms, the strongest first")
    return (
        f"The linear regression of {target}{about} explains {_text(first, 'r2')} of its "
        f"variance (R², {_over(first)}). Coefficients{more}: {'; '.join(said)}."
    )


def _importance(study: Study, rows: Sequence[Row], total: int) -> str:
    said = [f"{_text(row, 'feature')}: {_text(row, 'importance')}" for row in rows[:_LISTED]]
    first = rows[0]
    target = f"{_names([study.target])} best{_about(study)}"
    kind = "the share it gets right" if study.method == "classes" else "R²"
    return (
        f"What explains {target}, by how much worse a random forest "
        f"gets without it{_more(rows, total, _LISTED, 'columns')}: {'; '.join(said)}. With all of "
        f"them its score on rows it has not seen is {_text(first, 'score')} ({kind}; "
        f"{_over(first)})."
    )


def _count(row: Row) -> str:
    return f"{_text(row, 'outliers')} outlier{'' if row['outliers'].value == 1 else 's'}"


def _place(study: Study, row: Row) -> str:
    column = _text(row, "column")
    return f"{_group(study, row)}, {column}" if study.group else column


def _outliers(study: Study, rows: Sequence[Row], total: int) -> str:
    rule = "by the z-score rule" if study.method == "zscore" else "by the IQR rule"
    said = []
    for row in rows[:_GROUPS]:
        name = _place(study, row)
        said.append(
            f"{name} has {_count(row)} of {_text(row, 'rows')} values (below "
            f"{_text(row, 'lower_bound')} or above {_text(row, 'upper_bound')}; the values go from "
            f"{_text(row, 'smallest')} to {_text(row, 'largest')})"
        )
    more = _more(rows, total, _GROUPS, "columns")
    text = f"{rule}{_about(study)}{more}, {'; '.join(said)}."
    return text[:1].upper() + text[1:]


def _summary(study: Study, rows: Sequence[Row], total: int) -> str:
    said = []
    for row in rows[:_LISTED]:
        name = _place(study, row)
        keys = ["mean", "std", "minimum", "q1", "median", "q3", "maximum", "skewness"]
        words = {"std": "standard deviation", "q1": "first quartile", "q3": "third quartile"}
        extra = f"p{study.number}"
        if extra in row:
            keys.insert(0, extra)
            words[extra] = f"{study.number}th percentile"
        stats = ", ".join(f"{words.get(key, key)} {_text(row, key)}" for key in keys)
        said.append(f"{name} ({_over(row)}): {stats}")
    more = _more(rows, total, _LISTED, "rows")
    return f"Statistics{_about(study)}{more}: {'; '.join(said)}."


def _normality(study: Study, rows: Sequence[Row], total: int) -> str:
    said = []
    for row in rows[:_GROUPS]:
        name = _place(study, row)
        if row["normal"].value is None:
            said.append(f"{name} has too few different values for a test ({_over(row)})")
            continue
        verdict = "can be" if row["normal"].value else "is not"
        said.append(
            f"{name} {verdict} normally distributed ({_text(row, 'test')} test: p = "
            f"{_text(row, 'p_value')}, statistic {_text(row, 'statistic')}; skewness "
            f"{_text(row, 'skewness')}; {_over(row)})"
        )
    more = _more(rows, total, _GROUPS, "tests")
    text = "; ".join(said)
    about = _about(study).strip()
    return f"{f'Of the rows {about}: ' if about else ''}{text}{more}."


_SAYERS = {
    "correlation": (_correlation, ("first", "second", "correlation", "rows")),
    "scatter": (_scatter, ("correlation", "rows")),
    "histogram": (_histogram, ("column", "minimum", "maximum", "fullest_from", "rows")),
    "box": (_box, ("column", "median", "q1", "q3", "outliers", "rows")),
    "regression": (_regression, ("term", "coefficient", "r2", "rows")),
    "importance": (_importance, ("feature", "importance", "score", "rows")),
    "outliers": (_outliers, ("column", "outliers", "lower_bound", "upper_bound", "rows")),
    "summary": (_summary, ("column", "mean", "std", "median", "rows")),
    "normality": (_normality, ("column", "test", "p_value", "normal", "rows")),
}
