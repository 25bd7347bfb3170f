"""Values of a row or of a group: names, constants, arithmetic, periods, ranges, aggregates."""

from __future__ import annotations

from collections.abc import Callable
from typing import get_args

from flows.analysis.language.phrasebook import AGGREGATES, GRAINS, OPERATORS, WHICH
from flows.analysis.parser.constants import read_constant, write_cell, write_number
from flows.analysis.parser.cursor import Cursor, ParseError, RowScope
from flows.analysis.parser.tokens import ordinal
from flows.analysis.parser.writer import Writer
from flows.semantics.query import (
    Aggregate,
    Arithmetic,
    Bin,
    Cast,
    Constant,
    DateOf,
    Expression,
    FieldRef,
    Function,
    MetricRef,
    Period,
    Predicate,
    Query,
    Scalar,
)

_EXPRESSIONS: tuple[type, ...] = get_args(get_args(Expression)[0])
_PREDICATES: tuple[type, ...] = get_args(get_args(Predicate)[0])
_STRENGTH = {"+": 1, "-": 1, "*": 2, "/": 2}


# --- reading -----------------------------------------------------------------------------------


def read_expression(at: Cursor) -> Expression:
    """A value; raises Unread where a condition or nothing stands there."""
    return as_expression(read_operand(at))


def as_expression(node: Expression | Predicate) -> Expression:
    if not isinstance(node, _EXPRESSIONS):
        raise ParseError("a value was expected, not a condition")
    return node  # type: ignore[return-value]


def as_predicate(node: Expression | Predicate) -> Predicate:
    if not isinstance(node, _PREDICATES):
        raise ParseError("a condition was expected")
    return node  # type: ignore[return-value]


def read_operand(at: Cursor, strength: int = 1) -> Expression | Predicate:
    """A value with its arithmetic; a condition only where one stands in brackets."""
    start = at.place
    left = _primary(at) if strength == 2 else read_operand(at, 2)
    while (operator := at.peek(OPERATORS)) and _STRENGTH[operator] == strength:
        at.phrase(OPERATORS)
        right = _primary(at) if strength == 2 else read_operand(at, 2)
        sides = {"left": as_expression(left), "right": as_expression(right)}
        left = Arithmetic(operator=operator, **sides, spans=at.span(start))
    return left


def _primary(at: Cursor) -> Expression | Predicate:
    start = at.place
    if (prefixed := _prefixed(at)) is not None:
        return prefixed
    if (atom := _atom(at)) is None:
        raise ParseError("a value was expected")
    return _behind(at, atom, start)


def _behind(at: Cursor, atom: Expression | Predicate, start: int) -> Expression | Predicate:
    """What may stand behind a value: `in steps of 5`, `as a number`."""
    while True:
        if at.take("in", "steps", "of"):
            width = at.number()
            if width is None or float(width) <= 0:
                raise ParseError("the width of the steps was expected")
            atom = Bin(of=as_expression(atom), width=float(width), spans=at.span(start))
        elif at.take("as", "number"):
            atom = Cast(of=as_expression(atom), spans=at.span(start))
        else:
            return atom


def _prefixed(at: Cursor) -> Expression | None:
    """An aggregate, a period or a scalar. Where a name is called like that too, only one of them
    may be readable."""
    begins = phrase_reader(at)
    if begins is None:
        return None
    start, dataset = at.place, at.scope.dataset
    named = at.names.fields.match(at.words, start)
    read = at.attempt(begins) if named else begins(at)
    if named is None or read is None:
        return read
    if named[1] == at.place > start + 1:
        raise ParseError("a name and a phrase are written alike here")
    if named[1] > at.place and not at.sees_phrase():
        at.place, at.scope.dataset = start, dataset
        return None
    return read


def phrase_reader(at: Cursor) -> Callable[[Cursor], Expression] | None:
    """What reads the aggregate, the period or the scalar that comes next, if one does."""
    word = at.words[at.place] if at.place < len(at.words) else ""
    if not word:
        return None
    if at.peek(AGGREGATES) or word == "percentile" or at.kind() == "ordinal":
        return _aggregate
    grain = GRAINS.match(at.words, at.place)
    if grain and at.words[grain[1] : grain[1] + 1] == ["of"]:
        return _period
    if word == "overall" or at.sees("result", "of"):
        return _scalar
    return None


def _atom(at: Cursor) -> Expression | Predicate | None:
    start = at.place
    if at.take("("):
        inner = at.rules.read_condition(at)
        at.expect(")")
        return inner
    if (constant := read_constant(at)) is not None:
        return Constant(value=constant[0], spans=at.span(start))
    return at.name()


def _single(at: Cursor) -> Expression:
    """What an aggregate or a period is made of: a name, a constant, or anything in brackets."""
    start = at.place
    inner = _prefixed(at)
    if inner is None:
        found = _atom(at)
        if found is None:
            raise ParseError("a value was expected")
        inner = as_expression(found)
    if at.sees("in", "steps") or at.sees("as", "number"):
        at.place = start
        raise ParseError("brackets are needed")
    return inner


def _period(at: Cursor) -> Expression:
    start = at.place
    grain = at.phrase(GRAINS)
    at.expect("of")
    assert grain is not None
    return Period(of=_single(at), grain=grain[0], spans=at.span(start))


def _scalar(at: Cursor) -> Expression:
    """`result of (...)`, or `overall average price`: that of all rows."""
    start = at.place
    if at.take("overall"):
        if at.scope.dataset is None:
            raise ParseError("it is not said yet which rows are meant")
        metric = _single(at)
        query = Query(dataset=at.scope.dataset, metrics=(metric,), spans=at.span(start + 1))
        return Scalar(query=query, spans=at.span(start))
    at.expect("result", "of")
    return Scalar(query=read_inner(at), spans=at.span(start))


def read_inner(at: Cursor) -> Query:
    """A query in brackets: a text of its own about rows of its own."""
    at.expect("(")
    query = at.within(RowScope(new=at.scope.new), at.rules.read_query)
    at.expect(")")
    return query


def _aggregate(at: Cursor) -> Expression:
    start = at.place
    function, percent = _function(at)
    related = _related(at)
    scope = RowScope(related, at.scope.new) if related else at.scope
    of = at.within(scope, lambda cursor: _of(cursor, function))
    via: tuple[str, ...] = ()
    if related:
        at.take("of")
        at.expect("their")
        at.expect_dataset()
        via = at.path()
    where = None
    if at.peek(WHICH):
        at.phrase(WHICH)
        where = as_predicate(at.within(scope, at.rules.read_atom))
    elif function == "share" and of is None and at.sees("with"):
        where = at.attempt(lambda at: at.within(scope, _read_with))
    return Aggregate(
        function=function, of=of, where=where, at=percent, dataset=related or "", via=via,
        spans=at.span(start),
    )  # fmt: skip


def _read_with(at: Cursor) -> Predicate:
    """`with status 'paid'` behind `share of orders`."""
    place = at.place
    at.expect("with")
    found = at.rules.read_atom(at)
    if isinstance(found, _EXPRESSIONS):
        at.place = place
        found = at.rules.read_atom(at)
    return as_predicate(found)


def _function(at: Cursor) -> tuple[Function, float | None]:
    if (ordinal := at.text("ordinal")) is not None:
        at.expect("percentile")
        at.take("of")
        percent = float(ordinal.rstrip("abcdefghijklmnopqrstuvwxyz"))
        if percent > 100:
            raise ParseError("a percentile is at most the 100th")
        return "percentile", percent
    if at.take("percentile"):
        at.take("of")
        return "percentile", None
    found = at.phrase(AGGREGATES)
    assert found is not None
    return found[0], None


def _of(at: Cursor, function: Function) -> Expression | None:
    """What is aggregated; None for rows: `number of rows`, `number of orders`, `share of rows`."""
    if at.sees("their") or at.take_any("rows", "records"):
        return None
    if function in _BEFORE and not at.take(*_BEFORE[function].split()):
        _rows(at)
        return None
    return _single(at)


def _rows(at: Cursor) -> None:
    """`orders` behind `number of`: the rows that are spoken of."""
    dataset = at.expect_dataset()
    if at.scope.dataset is None:
        at.scope.dataset = dataset
    if at.scope.dataset != dataset:
        raise ParseError("these are not the rows that are spoken of")
    if not (at.take("are", "there") or at.take("were", "there")):
        _ = at.take("do", "we", "have") or at.take("did", "we", "have")


def _related(at: Cursor) -> str | None:
    """The dataset of `of their orders` behind what is aggregated. It says what the names before it
    mean, so it is looked for ahead."""
    here = at.place
    _ = at.take("values", "of") or at.take("different")
    if not at.sees("their") and not _skip(at):
        at.place = here
        return None
    at.take("of")
    dataset = at.expect_dataset() if at.take("their") else None
    at.place = here
    return dataset


def _skip(at: Cursor) -> bool:
    """Go behind a name or brackets, whatever they mean; False where neither comes next."""
    if at.sees("("):
        depth = 0
        while at.place < len(at.words):
            depth += (at.words[at.place] == "(") - (at.words[at.place] == ")")
            at.place += 1
            if depth == 0:
                return True
        return False
    at.take("metric")
    if at.kind() == "name":
        at.place += 1
    elif (found := at.names.fields.match(at.words, at.place)) is not None:
        at.place = found[1]
    elif read_constant(at) is None:
        return False
    place = at.place
    if not at.sees("of", "their") and at.take("of") and at.attempt(Cursor.dataset) is None:
        at.place = place
    at.attempt(Cursor.path)
    return True


# --- writing -----------------------------------------------------------------------------------


def write_expression(node: Expression, writer: Writer) -> str:
    """A value as it stands in a list or alone."""
    match node:
        case FieldRef():
            return writer.field(node)
        case MetricRef():
            return writer.metric(node)
        case Constant():
            return write_cell(node.value)
        case Arithmetic():
            return _write_arithmetic(node, writer)
        case Period():
            text = f"{GRAINS.write(node.grain)} of {write_single(node.of, writer)}"
            if writer.is_name(text, whole=True):
                return f"{GRAINS.write(node.grain)} of ({write_expression(node.of, writer)})"
            return text
        case Bin():
            return f"{write_single(node.of, writer)} in steps of {write_number(node.width)}"
        case Cast():
            return f"{write_single(node.of, writer)} as a number"
        case DateOf(year=year, month=month, day=day):  # shown, and never read
            return f"date of {', '.join(write_single(e, writer) for e in (year, month, day))}"
        case Scalar():
            return _write_scalar(node, writer)
        case Aggregate():
            return _write_aggregate(node, writer)


def write_operand(node: Expression, writer: Writer) -> str:
    """A value as it stands beside a comparison: in brackets where words behind it would be read as
    a part of it."""
    text = write_expression(node, writer)
    return f"({text})" if isinstance(node, Aggregate) and node.where is not None else text


def write_single(node: Expression, writer: Writer) -> str:
    """A value as a phrase needs it before or behind it."""
    text = write_expression(node, writer)
    return text if isinstance(node, FieldRef | MetricRef | Constant) else f"({text})"


def _write_arithmetic(node: Arithmetic, writer: Writer) -> str:
    own = _STRENGTH[node.operator]
    left, right = write_operand(node.left, writer), write_operand(node.right, writer)
    if isinstance(node.left, Arithmetic) and _STRENGTH[node.left.operator] < own:
        left = f"({left})"
    if isinstance(node.right, Arithmetic) and _STRENGTH[node.right.operator] <= own:
        right = f"({right})"
    return f"{left} {OPERATORS.write(node.operator)} {right}"


def _write_scalar(node: Scalar, writer: Writer) -> str:
    query = node.query
    own = writer.scope.dataset
    one = query.metrics[0] if len(query.metrics) == 1 else None
    if own and one is not None and query == Query(dataset=own, metrics=(one,)):
        plain = isinstance(one, MetricRef)
        plain |= isinstance(one, Aggregate) and one.where is None and not one.dataset
        text = write_expression(one, writer)
        return f"overall {text}" if plain else f"overall ({text})"
    return f"the result of {write_inner(query, writer)}"


def write_inner(query: Query, writer: Writer) -> str:
    """A query in brackets."""
    return f"({writer.writers.write_query(query, writer)})"


def _write_aggregate(node: Aggregate, writer: Writer) -> str:
    new = writer.scope.new
    scope = RowScope(node.dataset, new, node.dataset) if node.dataset else writer.scope
    function = _write_function(node)
    text = function + writer.within(scope, lambda: _write_of(node, writer))
    if not node.dataset and writer.is_name(text, whole=True):
        text = function + _write_apart(node, writer)
    if node.dataset:
        their = f"their {writer.dataset(node.dataset)}{writer.path(node.via)}"
        text += f" of {their}" if node.of is not None else their
    if node.where is not None:
        where = node.where
        told = writer.within(scope, lambda: writer.writers.write_atom(where, writer))
        text += f" for which {told}"
    return text


def _write_apart(node: Aggregate, writer: Writer) -> str:
    """What is aggregated, where the usual words are the name of something else."""
    before = _BEFORE.get(node.function, "")
    return "rows" if node.of is None else f"{before}({write_expression(node.of, writer)})"


_BEFORE: dict[Function, str] = {"count": "values of ", "share": "different "}


def _write_function(node: Aggregate) -> str:
    if node.function != "percentile":
        return AGGREGATES.write(node.function) + " "
    if node.at is None:
        return "percentile of "
    return f"{ordinal(write_number(node.at))} percentile of "


def _write_of(node: Aggregate, writer: Writer) -> str:
    if node.of is not None:
        return _BEFORE.get(node.function, "") + write_single(node.of, writer)
    if node.dataset:
        return ""
    return writer.rows() if node.function in _BEFORE and writer.scope.rows else "rows"
