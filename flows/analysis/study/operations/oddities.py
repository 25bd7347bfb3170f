"""What is odd about columns: outliers, missing values, shapes that are not normal."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.reading.read import Unread
from flows.analysis.study.about import GROUPS, about, capital, more, over, place, text
from flows.analysis.study.operation import (
    MOST_GROUPS,
    Call,
    Operation,
    Request,
    Row,
    plots,
    setting,
    words,
)
from flows.analysis.study.operations.distribution import counted, of_numbers
from flows.analysis.study.plan import Study


def _read_outliers(request: Request) -> Study | Unread:
    # `which countries are outliers`: the rows' name is what is asked for, and is no group
    numbers = [c for c in request.columns if plots(c)]
    names = [c for c in request.columns if not plots(c) and c.distinct > MOST_GROUPS]
    if numbers and len(numbers) + len(names) == len(request.columns):
        request.columns = numbers
    return of_numbers(request, "outliers", request.settings.get("method", "iqr"))


def _outlier_calls(study: Study, _title: str) -> list[Call]:
    told = (list(study.columns), study.group, study.method)
    return [Call("result", "outliers", told), Call("outlying", "outlying_rows", told)]


def _say_outliers(study: Study, rows: Sequence[Row], total: int) -> str:
    rule = "by the z-score rule" if study.method == "zscore" else "by the IQR rule"
    said = [
        f"{place(study, row)} has {counted(row)} of {text(row, 'rows')} values (below "
        f"{text(row, 'lower_bound')} or above {text(row, 'upper_bound')}; the values go from "
        f"{text(row, 'smallest')} to {text(row, 'largest')})"
        for row in rows[:GROUPS]
    ]
    rest = more(rows, total, GROUPS, "columns")
    return capital(f"{rule}{about(study)}{rest}, {'; '.join(said)}.")


_FAR = r"outl|anomal|unusual|extreme|suspicious|abnormal|odd|from the mean"
_SIGMA = r"(?:3|three) (?:sigmas?|standard deviations?|stds?|SDs?)"

OUTLIERS = Operation(
    kind="outliers",
    read=_read_outliers,
    calls=_outlier_calls,
    say=_say_outliers,
    needs=("column", "outliers", "lower_bound", "upper_bound", "rows"),
    words=(
        r"(?:check for |find |detect |any )*(?:outliers?|outlying|anomal(?:y|ies|ous(?: values?)?)|"
        r"extreme values?|abnormal(?:ly \w+)?(?: values?)?)|(?:suspicious|unusual)(?:ly)?(?: "
        r"(?:high|"
        r"low|large|small)(?: or (?:high|low|large|small))?)?(?: values?)?"
    ),
    cue=rf"(?:more than |over )?{_SIGMA} (?:away )?(?:from|off) the (?:mean|average)",
    noun=r"outliers?|anomal(?:y|ies)",
    settings=(
        setting("method", r"(?:,? *(?:by|using|with|via|based on) )?(?:the |a )?(?:\bz[- "
                          r"]?scores?\b"
                rf"(?: method| rule)?|(?:lie |are |is |fall )?(?:more than |over )?{_SIGMA}(?: "
                rf"away)?"
                r"(?: (?:from|off) the (?:mean|average))?|3[- ]sigma(?: "
                r"rule)?)", "zscore", only=_FAR
                + r"|z[- ]?score"),
        setting("method", r"(?:,? *(?:by|using|with|via|based on) )?(?:the )?(?:\biqr\b|\binter-?"
                r"quartile range\b|\btukey(?:['\u2019]s)?\b)(?: (?:method|rule|fences?))?", "iqr"),
        setting("check", r"\bcheck (?=for)"),
    ),
    around=words("outlier outliers suspiciously large small values which most how many any"),
)  # fmt: skip


def _read_normality(request: Request) -> Study | Unread:
    return of_numbers(request, "normality", request.settings.get("method", ""))


def _normality_calls(study: Study, _title: str) -> list[Call]:
    told = (list(study.columns), study.group, study.method)
    return [Call("result", "normality", told)]


def _say_normality(study: Study, rows: Sequence[Row], total: int) -> str:
    said = []
    for row in rows[:GROUPS]:
        name = place(study, row)
        if row["normal"].value is None:
            said.append(f"{name} has too few different values for a test ({over(row)})")
            continue
        verdict = "can be" if row["normal"].value else "is not"
        said.append(
            f"{name} {verdict} normally distributed ({text(row, 'test')} test: p = "
            f"{text(row, 'p_value')}, statistic {text(row, 'statistic')}; skewness "
            f"{text(row, 'skewness')}; {over(row)})"
        )
    rest = more(rows, total, GROUPS, "tests")
    where = about(study).strip()
    return f"{f'Of the rows {where}: ' if where else ''}{'; '.join(said)}{rest}."


NORMALITY = Operation(
    kind="normality",
    read=_read_normality,
    calls=_normality_calls,
    say=_say_normality,
    needs=("column", "test", "p_value", "normal", "rows"),
    words=(
        r"(?:tests? (?:of |for )?|check (?:of |for )?|whether )?(?:normality(?: tests?)?|"
        r"normally[- ]distributed|gaussian(?: distribut(?:ion|ed))?|bell[- ](?:shaped|curved?)|"
        r"(?:a |the )?normal(?: distribution|ly)?(?=\W*$|\W+(?:in|for|by)\b)|normal distribution|"
        r"shapiro(?:[- ]wilks?)?(?: tests?)?|d['\u2019]?agostino\S*(?: tests?)?)"
    ),
    noun=r"normality|normally distributed|gaussian",
    includes=words("histogram compare"),
    settings=(
        setting("method", r"(?:\b(?:with|by|using) )?(?:the |a )?\bshapiro(?:[- "
                          r"]wilks?)?(?:['\u2019]s)?"
                r"(?: tests?)?", "shapiro"),
        setting("method", r"(?:\b(?:with|by|using) )?(?:the |a )?\bd['\u2019]?agostino(?:[- "
                          r"]pearson)?"
                r"(?:['\u2019]s)?(?: tests?)?", "dagostino"),
    ),
    around=words("distribution distributed on do run"),
)  # fmt: skip


def _read_missing(request: Request) -> Study | Unread:
    table, kept = request.draft.schema.table, []
    named = [c.name for c in request.columns]
    for any_of in request.draft.filters:  # what is asked is no condition here
        [test, *others] = any_of.conditions
        if test.comparison in ("missing", "present") and not others:
            named.append(test.field.column)
        else:
            kept.append(any_of)
    request.draft.filters = kept
    return request.study("missing", named or [c.name for c in table.columns])


def _missing_calls(study: Study, _title: str) -> list[Call]:
    return [Call("result", "missing", (list(study.columns),))]


def _say_missing(study: Study, rows: Sequence[Row], total: int) -> str:
    where, first = about(study), rows[0]
    lacking = [row for row in rows if row["missing"].value]
    if not lacking:
        what = text(first, "column") if total == 1 else f"any of the {total} columns"
        return f"No value is missing in {what}{where} ({text(first, 'rows')} rows)."
    said = [
        f"{text(row, 'column')}: {text(row, 'missing')} ({text(row, 'percent')} %)"
        for row in lacking[:GROUPS]
    ]
    rest = more(lacking, max(len(lacking), total if len(rows) < total else 0), GROUPS, "columns")
    whole = (
        f" {text(first, 'complete_rows')} of {text(first, 'rows')} rows are complete "
        f"({text(first, 'complete_percent')} %)."
    )
    return f"Values that are missing{where}{rest}: {'; '.join(said)}.{whole}"


_GAP = r"(?:missing|null|nan|blank|empty)"
MISSING = Operation(
    kind="missing",
    read=_read_missing,
    calls=_missing_calls,
    say=_say_missing,
    needs=("column", "missing", "percent", "rows", "complete_rows"),
    words=(
        rf"(?:(?:any|the|of|most|how many) )*{_GAP}[- ](?:values?|data|entries|cells)(?: (?:are "
        rf")?(?:in|of)"
        rf"(?: (?:each|every|any|the) columns?)?)?|(?:nulls?|nans?)(?= in)|{_GAP}ness|"
        rf"(?:how many|what (?:share|percentage|fraction|proportion) of|how much of)(?: the)? "
        rf"(?:values|"
        rf"data|entries|cells)?(?= .*{_GAP})|how complete(?: is| are)?(?: the| my| this)? ?(?:data|"
        rf"table|rows)?|how much (?:of (?:the|my) )?data is missing|completeness|complete rows|"
        rf"rows (?:are complete|have no gaps)(?: at all)?"
    ),
    cue=rf"(?:values|share|percentage|fraction|proportion|cells|entries) .*\b(?:is|are) {_GAP}",
    noun=rf"{_GAP} (?:values|data)",
    around=words(
        f"""missing null nan blank empty values share how many much are is column columns row rows
        gaps gap no have has at all complete table percent percentage fraction proportion {_GAP}"""
    ),
)  # fmt: skip
