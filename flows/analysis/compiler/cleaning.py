"""What is done with the values of a column before anything is asked of them."""

from __future__ import annotations

from sqlglot import exp

from flows.analysis.compiler.functions import number, to_number
from flows.analysis.compiler.template import fill, text, wrap
from flows.core.observation import Cell
from flows.data.tables import Dialect
from flows.semantics.model import Fold, Number, SemanticField, Time, Unknown

# Left out of numbers: signs of currency, percent, blanks of three widths.
_SIGNS = "€$£¥% \u00a0\u202f"
_WIDTHS = {"Y": 4, "m": 2, "d": 2, "H": 2, "M": 2, "S": 2, "y": 2}
_VALID = {
    "Y": "[0-9]{4}", "m": "(0[1-9]|1[0-2])", "d": "(0[1-9]|[12][0-9]|3[01])", "y": "[0-9]{2}",
    "H": "([01][0-9]|2[0-3])", "M": "[0-5][0-9]", "S": "[0-5][0-9]",
}  # fmt: skip


def clean(value: exp.Expr, field: SemanticField, dialect: Dialect) -> exp.Expr:
    """The values of a column as its field means them."""
    for step, cleaning in enumerate(field.cleaning):
        match cleaning:
            case Unknown(values=values):
                is_text = _is_text(field, step)
                value = _without(value, values, is_text=is_text, dialect=dialect)
            case Fold(names=names):
                value = _folded(value, names)
            case Number():
                value = _read_number(value, cleaning, dialect)
            case Time():
                ways = [
                    _read_time(value.copy(), each, field.type == "date", dialect)
                    for each in (cleaning.format, *cleaning.others)
                ]
                value = exp.Coalesce(this=ways[0], expressions=ways[1:]) if ways[1:] else ways[0]
    return value


def _is_text(field: SemanticField, step: int) -> bool:
    """Whether the values are still text before this step."""
    before, after = field.cleaning[:step], field.cleaning[step:]
    if any(isinstance(each, Number | Time) for each in before):
        return False
    reads = any(isinstance(each, Number | Time | Fold) for each in (*before, *after))
    return reads or field.type in ("text", "other")


def _without(
    value: exp.Expr, unknown: tuple[Cell, ...], *, is_text: bool, dialect: Dialect
) -> exp.Expr:
    meant = [each for each in unknown if isinstance(each, str) == is_text and each is not None]
    literals = [
        text(each) if isinstance(each, str) else number(each, dialect)
        for each in meant
        if each is not None
    ]
    if not literals:
        return value
    if is_text and dialect == "sqlite":  # a column of texts may hold numbers, which are none
        value = exp.cast(value, "TEXT", copy=False)
    if len(literals) == 1:
        return exp.Nullif(this=value, expression=literals[0])
    known = exp.Not(this=exp.In(this=wrap(value.copy()), expressions=literals))
    return exp.Case(ifs=[exp.If(this=known, true=value)])


def _folded(value: exp.Expr, names: tuple[tuple[str, str], ...]) -> exp.Expr:
    trimmed = exp.Trim(this=value)
    if not names:
        return trimmed
    ways = [exp.If(this=text(said), true=text(meant)) for said, meant in names]
    return exp.Case(this=trimmed, ifs=ways, default=trimmed.copy())


def _read_number(value: exp.Expr, how: Number, dialect: Dialect) -> exp.Expr:
    for each in how.left_out:
        value = _replace(value, each, "")
    left_out = _SIGNS + (how.thousands if how.thousands not in _SIGNS else "")
    turned = "(," if how.decimal == "," else "("
    if dialect in ("duckdb", "postgres"):  # which put each sign of a text in the place of another
        signs = (turned + left_out + ")").replace("'", "''")
        by = "-." if how.decimal == "," else "-"
        value = fill(f"TRANSLATE(_x, '{signs}', '{by}')", dialect, x=value)
    else:
        value = _without_signs(value, left_out, dialect)
        if how.decimal == ",":
            value = _replace(value, ",", ".")
        value = _replace(_replace(value, "(", "-"), ")", "")
    value = to_number(value, dialect)
    if how.scale == 1:
        return value
    return exp.Mul(this=wrap(value), expression=number(how.scale, dialect))


def _without_signs(value: exp.Expr, signs: str, dialect: Dialect) -> exp.Expr:
    if dialect == "mysql":
        quoted = signs.replace("'", "''")
        return fill(f"REGEXP_REPLACE(_x, '[{quoted}]', '')", dialect, x=value)
    for each in signs:
        value = _replace(value, each, "")
    return value


def _replace(value: exp.Expr, old: str, new: str) -> exp.Expr:
    return exp.Replace(this=value, expression=text(old), replacement=text(new))


def _read_time(value: exp.Expr, pattern: str, is_day: bool, dialect: Dialect) -> exp.Expr:
    if dialect == "duckdb":
        read = fill("TRY_STRPTIME(_x, _format)", dialect, x=value, format=text(pattern))
        return fill("CAST(_x AS DATE)", dialect, x=read) if is_day else read
    if dialect == "mysql":
        written = pattern.replace("%M", "%i").replace("%S", "%s")
        read = exp.Anonymous(this="STR_TO_DATE", expressions=[value, text(written)])
        return fill(f"CAST(_x AS {'DATE' if is_day else 'DATETIME'})", dialect, x=read)
    pieces, glob, regex = _places(pattern, value)
    moment = _joined(pieces, "ymd" if "y" in pieces else "Ymd", "-", dialect)
    if not is_day:
        clock = _joined(pieces, "HMS", ":", dialect)
        moment = exp.DPipe(this=exp.DPipe(this=moment, expression=text(" ")), expression=clock)
    if dialect == "sqlite":
        read = exp.Anonymous(this="DATE" if is_day else "DATETIME", expressions=[moment])
        fits: exp.Expr = exp.Glob(this=value.copy(), expression=text(glob))
    else:
        read = fill(
            f"CAST(_x AS {'DATE' if is_day else 'TIMESTAMP'})", dialect, x=exp.paren(moment)
        )
        fits = fill("_x ~ _regex", dialect, x=value.copy(), regex=text(f"^{regex}$"))
    return exp.Case(ifs=[exp.If(this=fits, true=read)])


def _places(pattern: str, value: exp.Expr) -> tuple[dict[str, exp.Expr], str, str]:
    """The part of a text that each directive reads, and what all of the text looks like."""
    pieces: dict[str, exp.Expr] = {}
    at, place, glob, regex = 0, 1, "", ""
    while at < len(pattern):
        directive = pattern[at + 1] if pattern[at] == "%" and at + 1 < len(pattern) else ""
        width = _WIDTHS.get(directive, 0)
        if width:
            pieces[directive] = exp.Substring(
                this=value.copy(), start=exp.Literal.number(place), length=exp.Literal.number(width)
            )
            glob += "[0-9]" * width
            regex += _VALID[directive]
            at, place = at + 2, place + width
        else:
            glob += f"[{pattern[at]}]" if pattern[at] in "*?[" else pattern[at]
            regex += f"[{pattern[at]}]" if pattern[at] in ".*+?()[{|$" else pattern[at]
            at, place = at + 1, place + 1
    return pieces, glob, regex


def _joined(pieces: dict[str, exp.Expr], order: str, mark: str, dialect: Dialect) -> exp.Expr:
    """The parts of a date or of a time of day in their order; what is not said is the first."""
    first = {"Y": "1900", "y": "00", "m": "01", "d": "01"}
    result: exp.Expr | None = None
    for each in order:
        part = pieces.get(each, text(first.get(each, "00")))
        if each == "y":
            part = fill("CASE WHEN _x >= '69' THEN '19' || _x ELSE '20' || _x END", dialect, x=part)
        joined = part if result is None else exp.DPipe(
            this=exp.DPipe(this=result, expression=text(mark)), expression=part
        )  # fmt: skip
        result = joined
    assert result is not None
    return result
