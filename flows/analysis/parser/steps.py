"""The steps of a preparation: new columns, rows that are kept, codes, missing values, a split."""

from __future__ import annotations

from typing import Literal

from flows.analysis.language.phrasebook import Phrases
from flows.analysis.parser.constants import read_constant, write_cell
from flows.analysis.parser.cursor import Cursor, ParseError
from flows.analysis.parser.expressions import (
    read_expression,
    write_expression,
)
from flows.analysis.parser.predicates import read_predicate, write_predicate
from flows.analysis.parser.tokens import quote_name
from flows.analysis.parser.writer import Writer
from flows.semantics.query import Constant, FieldRef
from flows.semantics.request import Derive, Encode, Impute, Keep, Split, Step

_CODES: Phrases[Literal["one-hot", "ordinal"]] = Phrases({
    "one-hot": "one hot columns|one column for each|dummies", "ordinal": "ordinal numbers",
})  # fmt: skip
_FILLINGS: Phrases[Literal["mean", "median", "most frequent", "value"]] = Phrases({
    "mean": "the mean|the average", "median": "the median",
    "most frequent": "the most frequent value|the most common value", "value": "the value",
})  # fmt: skip


def read_step(at: Cursor) -> Step:
    """One step; a column that it makes may be named from there on."""
    start = at.place
    step = _read(at)
    return step.model_copy(update={"spans": at.span(start)})


def _read(at: Cursor) -> Step:
    if at.take("derive"):
        return _read_derive(at)
    if at.take("keep"):
        _ = at.take("only") or at.take("rows")
        at.expect("where")
        return Keep(where=read_predicate(at))
    if at.take("encode"):
        field = _read_field(at)
        at.expect("as")
        way = at.phrase(_CODES)
        if way is None:
            raise ParseError("a way of encoding was expected")
        return Encode(field=field, way=way[0])
    if at.take("fill", "missing"):
        return _read_impute(at)
    at.expect("split", "off")
    return _read_split(at)


def _read_derive(at: Cursor) -> Derive:
    name = at.text("name") or at.text("word")
    if name is None:
        raise ParseError("the name of a column was expected")
    at.expect("as")
    made = Derive(name=name, of=read_expression(at))
    at.scope.new = (at.scope.new or frozenset()) | {name}
    return made


def _read_field(at: Cursor) -> FieldRef:
    field = at.name()
    if not isinstance(field, FieldRef):
        raise ParseError("a field was expected")
    return field


def _read_impute(at: Cursor) -> Impute:
    field = _read_field(at)
    at.expect("with")
    way = at.phrase(_FILLINGS)
    if way is None:
        raise ParseError("what is filled in was expected")
    start, value = at.place, None
    if way[0] == "value" or at.take("or", "value"):
        value = read_constant(at)
    constant = Constant(value=value[0], spans=at.span(start)) if value else None
    return Impute(field=field, way=way[0], value=constant)


def _read_split(at: Cursor) -> Split:
    test = float(at.number() or "0")
    if at.take("%") or at.take("percent"):
        test /= 100
    if not 0 < test < 1:
        raise ParseError("a part of the rows was expected")
    at.take("of", "rows")
    at.expect("as", "test")
    seed = 0
    if at.take("with", "seed"):
        sign = -1 if at.take("-") else 1
        seed = sign * at.whole()
    return Split(test=test, seed=seed)


def write_step(step: Step, writer: Writer) -> str:
    """One step; a column that it makes may be named from there on."""
    match step:
        case Derive():
            text = f"derive {quote_name(step.name)} as {write_expression(step.of, writer)}"
            writer.scope.new = (writer.scope.new or frozenset()) | {step.name}
            return text
        case Keep():
            return f"keep where {write_predicate(step.where, writer)}"
        case Encode():
            return f"encode {writer.field(step.field)} as {_CODES.write(step.way)}"
        case Impute():
            return _write_impute(step, writer)
        case Split():
            seed = f" with seed {step.seed}" if step.seed else ""
            return f"split off {step.test!r} of the rows as the test{seed}"


def _write_impute(step: Impute, writer: Writer) -> str:
    text = f"fill missing {writer.field(step.field)} with {_FILLINGS.write(step.way)}"
    if step.value is None:
        return text
    value = write_cell(step.value.value)
    return f"{text} {value}" if step.way == "value" else f"{text} or the value {value}"
