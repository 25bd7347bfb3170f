"""Conditions: comparisons, lists of values, texts, missing values, periods, rows that belong."""

from __future__ import annotations

from typing import get_args

from flows.analysis.language.phrasebook import ABSENCE, COMPARISONS, PLACES, TIMES, words_of
from flows.analysis.parser.constants import read_constant, write_cell
from flows.analysis.parser.cursor import Cursor, ParseError, RowScope
from flows.analysis.parser.expressions import (
    as_expression,
    as_predicate,
    read_expression,
    read_inner,
    read_operand,
    write_inner,
    write_operand,
    write_single,
)
from flows.analysis.parser.names import ModelNames
from flows.analysis.parser.periods import (
    expect_time,
    read_period,
    read_relative,
    write_named,
    write_relative,
)
from flows.analysis.parser.tokens import is_date
from flows.analysis.parser.writer import Writer, listed
from flows.core.observation import Cell
from flows.semantics.query import (
    Among,
    And,
    Between,
    Comparison,
    Constant,
    During,
    Exists,
    Expression,
    FieldRef,
    Match,
    Missing,
    Not,
    OneOf,
    Or,
    Period,
    Predicate,
)

_PREDICATES: tuple[type, ...] = get_args(get_args(Predicate)[0])


# --- reading -----------------------------------------------------------------------------------


def read_predicate(at: Cursor) -> Predicate:
    """A whole condition, with all its `and` and `or`."""
    return as_predicate(read_condition(at))


def read_condition(at: Cursor) -> Expression | Predicate:
    """A whole condition, or a value where no comparison follows it."""
    start = at.place
    first = read_atom(at)
    word = next((each for each in ("and", "or") if at.sees(each)), None)
    if word is None or not isinstance(first, _PREDICATES):
        return first
    parts = [as_predicate(first)]
    while at.take(word):
        parts.append(as_predicate(read_atom(at)))
    if at.sees("and") or at.sees("or"):
        raise ParseError("`and` and `or` need brackets")
    node = And if word == "and" else Or
    return node(of=tuple(parts), spans=at.span(start))


def read_atom(at: Cursor) -> Expression | Predicate:
    """One condition, or a value where no comparison follows it."""
    start = at.place
    if at.take("not"):
        return Not(of=as_predicate(read_atom(at)), spans=at.span(start))
    if (exists := _read_exists(at)) is not None:
        return exists
    left = read_operand(at)
    if isinstance(left, _PREDICATES):
        return left
    compared = _read_test(at, as_expression(left), start)
    return left if compared is None else compared


def _read_exists(at: Cursor) -> Predicate | None:
    """`has orders`, `has no orders through customer where ...`, `without orders`."""
    start = at.place
    if at.take("without"):
        found = False
    elif at.take_any("has", "have", "with"):
        found = not at.take_any("no", "zero")
    elif at.take("there", "are") or at.take("there", "is"):
        found = not at.take("no")
    else:
        return None
    at.take("any")
    dataset = at.expect_dataset()
    via = at.path()
    scope = RowScope(dataset, at.scope.new)
    where = at.within(scope, _read_belonging)
    exists = Exists(dataset=dataset, via=via, where=where, spans=at.span(start))
    return exists if found else Not(of=exists, spans=at.span(start))


def _read_belonging(at: Cursor) -> Predicate | None:
    """What holds for rows that belong: `where status is 'open'`, `after 2024-01-01`."""
    if at.take("where") or at.take("whose") or at.take("for", "which"):
        return as_predicate(read_atom(at))
    return read_when(at)


def read_when(at: Cursor) -> Predicate | None:
    """A condition on the time of the rows that are spoken of: `in 2024`, `after 2024-01-01`, `in
    the last 3 months`; None where none stands."""
    start = at.place

    def read(at: Cursor) -> Predicate | None:
        dataset = at.scope.dataset
        time = FieldRef(dataset=dataset or "", field=expect_time(at))
        return _read_time(at, time, start)

    found = at.attempt(read)
    if found is None:
        at.place = start
    return found


def _read_time(at: Cursor, of: Expression, start: int) -> Predicate | None:
    if (span := _read_days(at, of, start)) is not None:
        return span
    place = at.place
    compared = at.phrase(COMPARISONS) or (("=",) if at.take("on") else None)
    if compared is not None and (text := at.text("date")) is not None:
        right = Constant(value=text, spans=at.span(at.place - 1))
        return Comparison(left=of, operator=compared[0], right=right, spans=at.span(start))
    at.place = place
    _ = at.take_any("in", "during", "within", "on")
    return read_period(at, of)


def _read_days(at: Cursor, of: Expression, start: int) -> Between | None:
    """`from 2024-01-01 to 2024-03-31`, `between 2024-01-01 and 2024-03-31`."""
    place = at.place
    if at.take_any("from", "between"):
        low = at.text("date")
        joined = at.take_any("to", "until", "and") or at.take("up", "to")
        high = at.text("date")
        if low is not None and high is not None and joined:
            ends = Constant(value=low), Constant(value=high)
            return Between(of=of, low=ends[0], high=ends[1], spans=at.span(start))
    at.place = place
    return None


def _read_test(at: Cursor, left: Expression, start: int) -> Predicate | None:
    """What is said of a value; None where nothing is."""
    if (place := at.phrase(PLACES)) is not None:
        text = at.text("text")
        text = at.text("date") if text is None else text
        if text is None:
            raise ParseError("a text in quotes was expected")
        node = Match(of=left, place=place[0][0], text=text, spans=at.span(start))
        return node if place[0][1] else Not(of=node, spans=at.span(start))
    verb = at.take_any("is", "are", "was", "were", "be")
    if verb and (special := _read_special(at, left, start)) is not None:
        return special
    if not verb and at.take("between"):
        return _read_between(at, left, start)
    operator = at.phrase(COMPARISONS)
    if operator is None and not verb and at.kind() != "text":
        return None
    right = _read_known(at, left) or read_expression(at)
    return Comparison(
        left=left, operator=operator[0] if operator else "=", right=right, spans=at.span(start)
    )


def _read_known(at: Cursor, left: Expression) -> Constant | None:
    """A known value of the field that it is compared with, as the data write it: `status is open`;
    None where no such stands, or a name is written like that."""
    if not isinstance(left, FieldRef) or at.names.fields.match(at.words, at.place):
        return None
    field = at.names.field(left.dataset, left.field)
    for value in field.values if field else ():
        start = at.place
        if at.take(*(words_of(value) or ("",))):
            return Constant(value=value, spans=at.span(start))
    return None


def _read_special(at: Cursor, left: Expression, start: int) -> Predicate | None:
    """What stands behind `is`, if it is no comparison."""
    if (absent := at.phrase(ABSENCE)) is not None:
        missing = Missing(of=left, spans=at.span(start))
        return missing if absent[0] else Not(of=missing, spans=at.span(start))
    place = at.place
    denied = at.take("not")
    node: Predicate | None
    if at.take("one", "of") or at.take("any", "of"):
        node = OneOf(of=left, values=_read_values(at), spans=at.span(start))
    elif at.take("between"):
        node = _read_between(at, left, start)
    elif at.take("among"):
        node = Among(of=left, query=read_inner(at), spans=at.span(start))
    else:
        node = _read_period(at, left, start)
    if node is None:
        at.place = place
        return None
    return Not(of=node, spans=at.span(start)) if denied else node


def _read_period(at: Cursor, left: Expression, start: int) -> Predicate | None:
    inside = at.take_any("in", "during", "within")
    node = read_period(at, left) if inside else read_relative(at, left)
    return node.model_copy(update={"spans": at.span(start)}) if node else None


def _read_between(at: Cursor, of: Expression, start: int) -> Between:
    low = read_expression(at)
    at.expect("and")
    high = read_expression(at)
    return Between(of=of, low=low, high=high, spans=at.span(start))


def _read_values(at: Cursor) -> tuple[Cell, ...]:
    """`1, 2 or 3`; the list ends where no value follows."""
    values = []
    while (value := read_constant(at)) is not None:
        values.append(value[0])
        place = at.place
        comma = at.take(",")
        joined = at.take_any("or", "and") or comma
        if not joined or at.attempt(_peek_constant) is None:
            at.place = place
            break
    if not values:
        raise ParseError("values were expected")
    return tuple(values)


def _peek_constant(at: Cursor) -> tuple[Cell]:
    place = at.place
    found = read_constant(at)
    at.place = place
    if found is None:
        raise ParseError("a value was expected")
    return found


# --- writing -----------------------------------------------------------------------------------


def write_predicate(node: Predicate, writer: Writer) -> str:
    """A whole condition."""
    if isinstance(node, And | Or):
        word = " and " if isinstance(node, And) else " or "
        return word.join(_write_part(each, writer) for each in node.of)
    return _write_one(node, writer)


def _write_part(node: Predicate, writer: Writer) -> str:
    """A part of `and` and `or`. A list of values before it must not take it for one of its own."""
    text = _write_one(node, writer) if not isinstance(node, And | Or) else ""
    literal = text[:1].isdigit() or text[:1] in ("'", '"', "-")
    literal |= text.startswith(("true ", "false ", "no value ", "infinity "))
    if not text or literal:
        return f"({text or write_predicate(node, writer)})"
    return text


def write_atom(node: Predicate, writer: Writer) -> str:
    """A condition in brackets where words behind it could be read as a part of it."""
    match node:
        case Comparison() | Match() | Missing() | Not(of=Match() | Missing()):
            return _write_part(node, writer)
    return f"({write_predicate(node, writer)})"


def _write_one(node: Predicate, writer: Writer) -> str:
    match node:
        case Not():
            return _write_not(node, writer)
        case Exists():
            return f"has {write_belonging(node, writer)}"
        case And() | Or():
            return f"({write_predicate(node, writer)})"
        case Comparison():
            return _write_comparison(node, writer)
        case Match():
            return _write_tested(node, writer, "", places=True)
    return _write_tested(node, writer, "")


def _write_not(node: Not, writer: Writer) -> str:
    match node.of:
        case Missing():
            return f"{write_operand(node.of.of, writer)} is {ABSENCE.write(False)}"
        case Exists():
            return f"has no {write_belonging(node.of, writer)}"
        case Match():
            return _write_tested(node.of, writer, "not ", places=False)
        case OneOf() | Between() | During() | Among():
            return _write_tested(node.of, writer, "not ")
    return f"not ({write_predicate(node.of, writer)})"


def _write_tested(node: Predicate, writer: Writer, denial: str, *, places: bool = True) -> str:
    """A condition on one value, with `not ` behind `is` where it is denied."""
    match node:
        case Match():
            left = write_operand(node.of, writer)
            text = "'" + node.text.replace("'", "''") + "'"
            return f"{left} {PLACES.write((node.place, places))} {text}"
        case Missing():
            return f"{write_operand(node.of, writer)} is missing"
        case OneOf():
            left = write_operand(node.of, writer)
            return f"{left} is {denial}one of {listed(list(map(write_cell, node.values)), 'or')}"
        case Between():
            parts = [write_operand(each, writer) for each in (node.of, node.low, node.high)]
            return f"{parts[0]} is {denial}between {parts[1]} and {parts[2]}"
        case During():
            return f"{write_operand(node.of, writer)} is {denial}{write_relative(node)}"
        case Among():
            left = write_operand(node.of, writer)
            return f"{left} is {denial}among {write_inner(node.query, writer)}"
    raise TypeError(f"{type(node).__name__} is not said of one value")


def _write_comparison(node: Comparison, writer: Writer) -> str:
    if (name := write_named(node)) is not None:
        assert isinstance(node.left, Period)
        return f"{write_single(node.left.of, writer)} is in {name}"
    left, right = write_operand(node.left, writer), write_operand(node.right, writer)
    timed = isinstance(node.right, Constant) and is_date(node.right.value)
    usual = "" if node.operator == "=" else COMPARISONS.write(node.operator)
    phrase = TIMES[node.operator] if timed else usual
    return " ".join(word for word in (left, "is", phrase, right) if word)


def write_belonging(node: Exists, writer: Writer) -> str:
    """Rows that belong: `orders through customer where status is 'open'`."""
    text = writer.dataset(node.dataset) + writer.path(node.via)
    if node.where is None:
        return text
    where, scope = node.where, RowScope(node.dataset, writer.scope.new, node.dataset)
    if (when := write_when(where, node.dataset, writer.names)) is not None:
        return f"{text} {when}"
    return f"{text} where {writer.within(scope, lambda: write_atom(where, writer))}"


def write_when(node: Predicate, dataset: str, names: ModelNames) -> str | None:
    """A condition on the time of a dataset's rows without the name of the field: `after
    2024-01-01`, `in March 2024`; None for any other."""
    known = names.by_name.get(dataset)
    if known is None or not known.time:
        return None
    time = FieldRef(dataset=dataset, field=known.time)
    match node:
        case Comparison(left=left, operator=operator, right=Constant(value=str(text))) if (
            left == time and is_date(text) and operator != "!="
        ):
            return f"{TIMES[operator] or 'on'} {text}"
        case Comparison(left=Period(of=of)) if of == time and (name := write_named(node)):
            return f"in {name}"
        case During(of=of) if of == time:
            return write_relative(node)
    return None
