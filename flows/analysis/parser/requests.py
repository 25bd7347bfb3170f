"""Whole requests: queries, analyses, charts, descriptions, preparations, several of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, get_args

from flows.analysis.language.phrasebook import ARTICLES, METHODS, OPENINGS, PICTURES
from flows.analysis.parser.clauses import read_list, write_list
from flows.analysis.parser.cursor import Cursor, ParseError, RowScope
from flows.analysis.parser.expressions import (
    read_expression,
    read_inner,
    write_inner,
    write_operand,
)
from flows.analysis.parser.predicates import (
    read_atom,
    read_condition,
    read_predicate,
    read_when,
    write_atom,
    write_predicate,
)
from flows.analysis.parser.queries import find_dataset, read_query, write_query
from flows.analysis.parser.steps import read_step, write_step
from flows.analysis.parser.tokens import quote_name, quote_text
from flows.analysis.parser.writer import Writer
from flows.semantics.query import Expression, FieldRef, MetricRef, Query
from flows.semantics.request import (
    Analysis,
    Argument,
    Chart,
    Compound,
    Describe,
    Prepare,
    Request,
    Unparsed,
)

_FIELDS = "fields"  # the argument that stands behind `of`: `correlation of price and quantity`
_PLACES = ("on the x axis", "on the y axis", "for the color")
Subject = Literal["tables", "profile", "columns", "values", "definition"]


class Grammar:
    """The parts of the grammar that contain each other, for reading and for writing."""

    read_predicate = staticmethod(read_predicate)
    read_condition = staticmethod(read_condition)
    read_atom = staticmethod(read_atom)
    read_query = staticmethod(read_query)
    write_predicate = staticmethod(write_predicate)
    write_atom = staticmethod(write_atom)
    write_query = staticmethod(write_query)


# --- reading -----------------------------------------------------------------------------------


def read_request(at: Cursor) -> Request:
    """Requests with `;` between them, up to the end or a bracket."""
    start = at.place
    found = [_read_one(at)]
    while at.take(";"):
        found.append(_read_one(at))
    if len(found) == 1:
        return found[0]
    return Compound(requests=tuple(found), spans=at.span(start))


def _read_one(at: Cursor) -> Request:
    at.scope = RowScope()
    start = at.place
    if at.take("several", "("):
        inner = read_request(at)
        at.expect(")")
        if not isinstance(inner, Compound):
            raise ParseError("several requests were expected")
        return inner
    while at.phrase(OPENINGS):
        pass
    if (described := _read_describe(at)) is not None:
        return described
    if at.sees("prepare"):
        return _read_prepare(at)
    at.place = start
    return _read_chart(at) or _read_analysis(at) or read_query(at)


def _read_describe(at: Cursor) -> Describe | None:
    start = at.place
    for read in _DESCRIPTIONS:
        found = at.attempt(read)
        if found is not None and (at.is_done() or at.sees(";") or at.sees(")")):
            return found.model_copy(update={"spans": at.span(start)})
        at.place, at.scope = start, RowScope()
    return None


def _read_tables(at: Cursor) -> Describe | None:
    if at.take("tables") or at.take("what", "tables", "are", "there"):
        return Describe(subject="tables")
    return None


def _read_general(at: Cursor) -> Describe | None:
    """`describe values, dataset orders, field status`: whatever is said and what is not."""
    at.expect("describe")
    subject = next((each for each in _SUBJECTS if at.take(each)), None)
    if subject is None:
        return Describe(subject="profile", dataset=at.expect_dataset())
    said = {"dataset": "", "field": "", "metric": ""}
    for name in said:
        if at.take(",", name):
            said[name] = at.text("name") or ""
    names = at.names
    unknown = said["dataset"] and said["dataset"] not in names.by_name
    unknown = unknown or (said["field"] and said["field"] not in names.owners)
    if unknown or (said["metric"] and said["metric"] not in names.metrics):
        raise ParseError("the model has no such name")
    return Describe(subject=subject, **said)


def _read_columns(at: Cursor) -> Describe:
    if not at.take("fields", "of"):
        at.expect("columns", "of")
    return Describe(subject="columns", dataset=at.expect_dataset())


def _read_values(at: Cursor) -> Describe:
    at.expect("values", "of")
    return _described(at, "values")


def _read_definition(at: Cursor) -> Describe:
    if not at.take("meaning", "of"):
        at.expect("definition", "of")
    if at.take("dataset"):
        return Describe(subject="definition", dataset=at.expect_dataset())
    return _described(at, "definition")


def _described(at: Cursor, subject: Literal["values", "definition"]) -> Describe:
    named = at.name()
    if isinstance(named, MetricRef) and subject == "definition":
        return Describe(subject=subject, metric=named.metric)
    if not isinstance(named, FieldRef) or named.via:
        raise ParseError("a field was expected")
    return Describe(subject=subject, dataset=named.dataset, field=named.field)


_SUBJECTS: tuple[Subject, ...] = get_args(Subject)
_DESCRIPTIONS: tuple[Callable[[Cursor], Describe | None], ...] = (
    _read_tables, _read_general, _read_columns, _read_values, _read_definition
)  # fmt: skip


def _read_prepare(at: Cursor) -> Prepare:
    """`prepare orders: STEP, then STEP, and then QUERY`."""
    start = at.place
    at.expect("prepare")
    dataset = at.expect_dataset()
    at.expect(":")
    at.scope = RowScope(dataset, frozenset())
    steps = [read_step(at)]
    while at.take(",", "then"):
        steps.append(read_step(at))
    at.take(",")
    at.expect("and", "then")
    at.scope = RowScope(None, at.scope.new)
    then = _read_analysis(at) or read_query(at)
    return Prepare(dataset=dataset, steps=tuple(steps), then=then, spans=at.span(start))


def _read_chart(at: Cursor) -> Chart | None:
    start = at.place
    while at.phrase(OPENINGS):
        pass
    picture = at.phrase(PICTURES)
    said = picture is not None and (at.take("of") or at.take("for") or not picture[0])
    if picture is None or not said:
        at.place = start
        return None
    of = _read_analysis(at) or read_query(at)
    at.scope = RowScope(of.dataset if isinstance(of, Query) else of.over.dataset)
    parts: dict[str, Expression] = {}
    while at.take(",", "using"):
        shown = read_expression(at)
        name = _read_place(at)
        if name in parts:
            raise ParseError("an axis is said twice")
        parts[name] = shown
    return Chart(
        of=of, type=picture[0], x=parts.get("x"), y=parts.get("y"), color=parts.get("color"),
        spans=at.span(start),
    )  # fmt: skip


def _read_place(at: Cursor) -> str:
    for name in ("x", "y"):
        if at.take("on", name, "axis"):
            return name
    at.expect("for", "color")
    return "color"


def _read_analysis(at: Cursor) -> Analysis | None:
    """`correlation of price and quantity over orders`; None where no method is named."""
    start = at.place
    while at.phrase(OPENINGS):
        pass
    method = _read_method(at)
    if method is None:
        at.place = start
        return None
    outer, arguments = at.place, []
    at.scope = RowScope(_find_over(at), at.scope.new)
    if at.take("of") or at.take("between") or at.take("in"):
        values = read_list(at, read_expression)
        arguments.append(Argument(name=_FIELDS, values=values, spans=at.span(outer)))
    over = _read_over(at)
    at.scope = RowScope(over.dataset, at.scope.new)
    while (argument := at.attempt(_read_argument)) is not None:
        arguments.append(argument)
    return Analysis(method=method, over=over, arguments=tuple(arguments), spans=at.span(start))


def _read_method(at: Cursor) -> str | None:
    if at.sees("analysis") and at.place + 1 < len(at.tokens):
        at.place += 1
        if (name := at.text("name")) is not None:
            return name
        at.place -= 1
    method = at.phrase(METHODS)
    behind = ("of", "between", "over", "in", "for", ",", ";", ")")
    if method is None or not (at.is_done() or any(map(at.sees, behind))):
        return None
    return method[0]


def _find_over(at: Cursor) -> str | None:
    """The dataset of `over orders` or `over (...)`, which stands behind the fields."""
    if (dataset := find_dataset(at)) is not None:
        return dataset
    depth, here = 0, at.place
    for place in range(here, len(at.tokens)):
        word = at.words[place]
        depth += (word == "(") - (word == ")")
        if depth < 0 or (depth == 0 and word == ";"):
            return None
        if depth == 0 and word == "over":
            at.place = place + 1
            query = at.attempt(read_inner)
            at.place = here
            return query.dataset if query is not None else None
    return None


def _read_over(at: Cursor) -> Query:
    """The rows of an analysis: `over orders, where ...` or any query in brackets."""
    start = at.place
    if at.take("over"):
        if at.sees("("):
            return read_inner(at)
        at.expect_dataset()
    elif at.take("from") or at.take("among") or at.take("in"):
        at.expect_dataset()
    if at.scope.dataset is None:
        raise ParseError("it is not said which rows are meant")
    place, where = at.place, None
    at.take(",")
    if at.take("where"):
        where = read_predicate(at)
    elif (where := read_when(at)) is None:
        at.place = place
    return Query(dataset=at.scope.dataset, where=where, spans=at.span(start))


def _read_argument(at: Cursor) -> Argument:
    """`, using price and quantity as features`."""
    start = at.place
    at.expect(",", "using")
    values = () if at.take("nothing") else read_list(at, read_expression)
    at.expect("as")
    name = at.text("name") or at.text("word")
    if name is None:
        raise ParseError("the name of the argument was expected")
    return Argument(name=name, values=values, spans=at.span(start))


# --- writing -----------------------------------------------------------------------------------


def write_request(request: Request, writer: Writer) -> str:
    """Any request as a text."""
    writer.scope = RowScope()
    match request:
        case Query():
            return write_query(request, writer)
        case Analysis():
            return _write_analysis(request, writer)
        case Chart():
            return _write_chart(request, writer)
        case Describe():
            return _write_describe(request, writer)
        case Prepare():
            return _write_prepare(request, writer)
        case Compound():
            return "; ".join(_write_part(each, writer) for each in request.requests)
        case Unparsed():
            return f"{quote_text(request.text)} could not be read: {request.reason}"


def _write_part(request: Request, writer: Writer) -> str:
    text = write_request(request, writer)
    return f"several ({text})" if isinstance(request, Compound) else text


def _write_analysis(node: Analysis, writer: Writer) -> str:
    usual = node.method in METHODS
    text = METHODS.write(node.method) if usual else f"analysis {quote_name(node.method)}"
    scope = RowScope(node.over.dataset, writer.scope.new, node.over.dataset)
    over = _write_over(node.over, writer)
    told = [text]
    for place, each in enumerate(node.arguments):
        values = writer.within(scope, lambda each=each: write_list(each.values, writer))  # type: ignore[misc]
        if place == 0 and each.name == _FIELDS and each.values:
            told[0] += f" of {values}"
        else:
            told.append(f"using {values or 'nothing'} as {_argument_name(each.name)}")
    return ", ".join([f"{told[0]} over {over}", *told[1:]])


def _argument_name(name: str) -> str:
    plain = name.isascii() and name.isalpha() and name.islower()
    return name if plain and name not in {"number", *ARTICLES} else quote_name(name)


def _write_over(query: Query, writer: Writer) -> str:
    scope = RowScope(query.dataset, writer.scope.new, query.dataset)
    if query != Query(dataset=query.dataset, where=query.where):
        return write_inner(query, writer)
    text, where = writer.dataset(query.dataset), query.where
    if where is None:
        return text
    return f"{text}, where {writer.within(scope, lambda: write_predicate(where, writer))}"


def _write_chart(node: Chart, writer: Writer) -> str:
    of = node.of
    text = write_query(of, writer) if isinstance(of, Query) else _write_analysis(of, writer)
    dataset = of.dataset if isinstance(of, Query) else of.over.dataset
    scope = RowScope(dataset, None, dataset)
    for shown, place in zip((node.x, node.y, node.color), _PLACES, strict=True):
        if shown is not None:
            told = writer.within(scope, lambda shown=shown: write_operand(shown, writer))  # type: ignore[misc]
            text += f", using {told} {place}"
    return f"{PICTURES.write(node.type)} of {text}"


def _write_describe(node: Describe, writer: Writer) -> str:
    match (node.subject, node.dataset, node.field, node.metric):
        case ("tables", "", "", ""):
            return "the tables"
        case ("profile", dataset, "", "") if dataset:
            return f"describe {writer.dataset(dataset)}"
        case ("columns", dataset, "", "") if dataset:
            return f"columns of {writer.dataset(dataset)}"
        case ("values" | "definition", dataset, field, "") if dataset and field:
            return f"{node.subject} of {writer.field(FieldRef(dataset=dataset, field=field))}"
        case ("definition", "", "", metric) if metric:
            return f"definition of {writer.metric(MetricRef(metric=metric))}"
        case ("definition", dataset, "", "") if dataset:
            return f"definition of the dataset {writer.dataset(dataset)}"
    said = {"dataset": node.dataset, "field": node.field, "metric": node.metric}
    told = [f", {kind} {quote_name(name)}" for kind, name in said.items() if name]
    return f"describe {node.subject}{''.join(told)}"


def _write_prepare(node: Prepare, writer: Writer) -> str:
    head = f"prepare {writer.dataset(node.dataset)}: "
    writer.scope = RowScope(node.dataset, frozenset(), node.dataset)
    steps = ", then ".join([write_step(each, writer) for each in node.steps])
    writer.scope = RowScope(None, writer.scope.new)
    then = node.then
    told = write_query(then, writer) if isinstance(then, Query) else _write_analysis(then, writer)
    return f"{head}{steps}, and then {told}"
