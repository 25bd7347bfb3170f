"""What a query gives, evaluated slowly and plainly, row by row, from what its docstrings say."""

from __future__ import annotations

import operator as operators
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time
from decimal import ROUND_HALF_UP, Decimal
from functools import cmp_to_key
from typing import Any

from flows.semantics.cumulation import find_periods, grain_of
from flows.semantics.kinds import columns_of, kind_of, parse_day, parse_moment, parse_time
from flows.semantics.model import Calendar, Conversion, Cumulative, Dataset, SemanticModel, Time
from flows.semantics.node import Node
from flows.semantics.path import Path, find_path
from flows.semantics.query import (
    Aggregate,
    Among,
    And,
    Arithmetic,
    Between,
    Bin,
    Cast,
    Comparison,
    Constant,
    During,
    Exists,
    Expression,
    FieldRef,
    Match,
    MetricRef,
    Missing,
    Not,
    OneOf,
    Or,
    Order,
    Period,
    Predicate,
    Query,
    Scalar,
    Transform,
)
from tests.semantics.figures import (
    CALENDAR,
    aggregate_values,
    clean,
    fiscal_month,
    move,
    period_of,
    read_number,
)
from tests.semantics.random_data import Rows

Value = Any
# A row of a query: the rows that it was joined with, by the ways that lead to them.
Joined = dict[Path, tuple[int, dict[str, Value]]]


@dataclass
class Line:
    """A line of a result, with what it was made of."""

    cells: tuple[Value, ...]
    members: list[Joined] = field(default_factory=list)
    key: tuple[Value, ...] = ()


class Evaluation:
    """Evaluates queries over the rows of a model's tables.

    `fold` makes letters small, as far as a database does when case does not matter.
    """

    def __init__(
        self, model: SemanticModel, rows: Rows, today: date, fold: Callable[[str], str] = str.lower
    ) -> None:
        self.model = model
        self.rows = rows
        self.today = today
        self.fold = fold

    # Rows

    def dataset(self, name: str) -> Dataset:
        found = self.model.dataset(name)
        assert found is not None
        return found

    def table(self, name: str) -> list[tuple[int, dict[str, Value]]]:
        """The rows of a dataset without those that are sums of others, with their numbers."""
        dataset = self.dataset(name)
        return [
            (number, row)
            for number, row in enumerate(self.rows[name])
            if not any(
                self._spelled(dataset, row, each) in values for each, values in dataset.totals
            )
        ]

    def cell(self, dataset: Dataset, row: dict[str, Value], name: str) -> Value:
        found = dataset.find(name)
        assert found is not None
        if found.expression is not None:
            return self.value(found.expression, {(): (0, row)}, dataset.name)
        return clean(row[found.column or found.name], found)

    def _spelled(self, dataset: Dataset, row: dict[str, Value], name: str) -> Value:
        found = dataset.find(name)
        assert found is not None
        return clean(row[found.column or found.name], found.spelled)

    def as_written(self, query: Query, shown: Expression, cell: Value, line: Line) -> Value:
        """A cell of a plain row: a field as it stands in the data."""
        if not isinstance(shown, FieldRef):
            return cell
        path = find_path(self.model, query.dataset, shown.via, shown.dataset)
        found = self.dataset(shown.dataset).find(shown.field)
        assert path is not None
        assert found is not None
        if found.expression is not None:
            return cell
        return line.members[0][path][1][found.column or found.name]

    def gathered(self, query: Query, line: Line) -> tuple[Value, ...]:
        """The cells of rows that repeat: a time that is a text as the first of them is written."""
        cells = []
        for shown, cell in zip(columns_of(query, self.model), line.cells, strict=True):
            assert isinstance(shown, FieldRef)
            found = self.dataset(shown.dataset).find(shown.field)
            if found is not None and any(isinstance(each, Time) for each in found.cleaning):
                ways = [self.as_written(query, shown, cell, Line(line.cells, [row], line.key))
                        for row in line.members]  # fmt: skip
                cell = min((each for each in ways if each is not None), default=None)
            cells.append(cell)
        return tuple(cells)

    def join(self, start: str, row: tuple[int, dict[str, Value]], paths: set[Path]) -> list[Joined]:
        """The rows that one row becomes when it is joined along all these ways."""
        made: list[Joined] = [{(): row}]
        prefixes = {path[:length] for path in paths for length in range(1, len(path) + 1)}
        for path in sorted(prefixes, key=len):
            step = path[-1]
            here, there = self.dataset(step.start), self.dataset(step.end)
            longer = []
            for joined in made:
                _, before = joined[path[:-1]]
                wanted = [self.cell(here, before, each) for each in step.start_fields]
                if None in wanted:
                    continue
                for number, other in self.table(step.end):
                    if [self.cell(there, other, each) for each in step.end_fields] == wanted:
                        longer.append({**joined, path: (number, other)})
            made = longer
        return made

    def paths(self, nodes: Sequence[Node], start: str) -> set[Path]:
        return {
            find_path(self.model, start, ref.via, ref.dataset) or ()
            for node in nodes
            for ref in self.refs(node, start)
        }

    def refs(self, node: Node, start: str) -> Iterator[FieldRef]:
        """The fields that a part of a query names, of its own rows."""
        if isinstance(node, FieldRef):
            yield node
        elif isinstance(node, MetricRef):
            metric = self.model.metric(node.metric)
            assert metric is not None
            if metric.dataset == start and isinstance(metric.definition, Cumulative):
                yield from self.refs(MetricRef(metric=metric.definition.metric), start)
            elif metric.dataset == start and not isinstance(
                metric.definition, Conversion | Cumulative
            ):
                yield from self.refs(metric.definition, start)
        elif not isinstance(node, Query | Exists) and not getattr(node, "dataset", ""):
            for name in type(node).model_fields:
                value = getattr(node, name)
                for each in value if isinstance(value, tuple) else (value,):
                    if isinstance(each, Node):
                        yield from self.refs(each, start)

    # Values of a row

    def value(self, expression: Expression, joined: Joined, start: str) -> Value:
        def leaf(each: Expression) -> Value:
            assert isinstance(each, FieldRef)
            path = find_path(self.model, start, each.via, each.dataset)
            assert path is not None
            return self.cell(self.dataset(each.dataset), joined[path][1], each.field)

        return self.compose(expression, leaf)

    def compose(self, expression: Expression, leaf: Callable[[Expression], Value]) -> Value:
        match expression:
            case Constant(value=value):
                return value
            case Scalar(query=query):
                lines = self.lines(query)
                assert len(lines) < 2
                return lines[0].cells[0] if lines else None
            case Arithmetic():
                return self._arithmetic(expression, leaf)
            case Period(of=of, grain=grain):
                value = self.compose(of, leaf)
                return None if value is None else self.period(value, grain)
            case Bin(of=of, width=width):
                value = self.compose(of, leaf)
                return None if value is None else value / width // 1 * width
            case Cast(of=of):
                return read_number(self.compose(of, leaf))
        return leaf(expression)

    def _arithmetic(self, made: Arithmetic, leaf: Callable[[Expression], Value]) -> Value:
        left, right = self.compose(made.left, leaf), self.compose(made.right, leaf)
        if left is None or right is None:
            return None
        if isinstance(left, date) or isinstance(right, date):
            one, other = (parse_moment(each) if isinstance(each, str) else each
                          for each in (left, right))  # fmt: skip
            moments = [_moment(each) for each in (one, other)]
            return (moments[0] - moments[1]).total_seconds() / 86400
        if made.operator == "/":
            return left / right if right else None
        return {"+": left + right, "-": left - right, "*": left * right}[made.operator]

    # Predicates: true, false, or None where a value is missing

    def test(self, predicate: Predicate, leaf: Callable[[Expression], Value],
             exists: Callable[[Exists], bool] | None = None) -> bool | None:  # fmt: skip
        def again(each: Predicate) -> bool | None:
            return self.test(each, leaf, exists)

        def value(each: Expression) -> Value:
            return self.compose(each, leaf)

        match predicate:
            case And(of=of):
                found = [again(each) for each in of]
                return False if False in found else None if None in found else True
            case Or(of=of):
                found = [again(each) for each in of]
                return True if True in found else None if None in found else False
            case Not(of=inner):
                held = again(inner)
                return None if held is None else not held
            case Exists():
                assert exists is not None
                return exists(predicate)
            case Missing(of=one):
                return value(one) is None
            case Comparison(left=left, operator=operator, right=right):
                return compare(value(left), operator, value(right))
            case Between(of=one, low=low, high=high):
                above = compare(value(one), ">=", value(low))
                below = compare(value(one), "<=", value(high))
                if False in (above, below):
                    return False
                return None if None in (above, below) else True
            case OneOf(of=one, values=values):
                return self._among(value(one), values)
            case Among(of=one, query=query):
                return self._among(value(one), [line.cells[0] for line in self.lines(query)])
            case Match(of=one, place=place, text=text):
                return self._match(value(one), place, text)
            case During():
                return self._during(value(predicate.of), predicate)

    def _among(self, value: Value, values: Sequence[Value]) -> bool | None:
        known = [each for each in values if each is not None]
        if value is None:
            # Whether a missing value is none of none cannot be told in all databases alike.
            return None if known else False
        return any(compare(value, "=", each) for each in known)

    def _match(self, value: Value, place: str, text: str) -> bool | None:
        if value is None:
            return None
        whole, part = self.fold(value), self.fold(text)
        if place == "contains":
            return part in whole
        return whole.startswith(part) if place == "starts" else whole.endswith(part)

    def period(self, when: Value, grain: str) -> Value:
        return period_of(when, grain, self.model.calendar)

    def start(self, grain: str) -> date:
        """The first day of the current period."""
        if grain.startswith("fiscal"):
            months = 12 if grain == "fiscal year" else 3
            return fiscal_month(self.today, months, self.model.calendar.fiscal_start)
        if grain == "week":
            found: date = period_of(self.today, grain, self.model.calendar)
            return found
        return CALENDAR_START[grain](self.today)

    def _during(self, value: Value, during: During) -> bool | None:
        if value is None:
            return None
        day = value.date() if isinstance(value, datetime) else value
        first = move(self.start(during.grain), during.grain, during.first)
        end = move(first, during.grain, during.length)
        return first <= day < end and not (during.to_date and day > self.today)

    def row_test(self, predicate: Predicate, joined: Joined, start: str) -> bool | None:
        def exists(each: Exists) -> bool:
            path = find_path(self.model, start, each.via, each.dataset)
            assert path
            return any(
                each.where is None or self._holds(each.where, found[path], each.dataset)
                for found in self.join(start, joined[()], {path})
            )

        return self.test(predicate, lambda each: self.value(each, joined, start), exists)

    def _holds(self, where: Predicate, row: tuple[int, dict[str, Value]], start: str) -> bool:
        paths = self.paths((where,), start)
        return any(
            self.row_test(where, each, start) is True for each in self.join(start, row, paths)
        )

    # Figures of many rows

    def figure(self, expression: Expression, query: Query, line: Line, groups: list[Line],
               scopes: tuple[Predicate, ...] = ()) -> Value:  # fmt: skip
        by = [*query.by, *query.identity]
        start = query.dataset

        def leaf(each: Expression) -> Value:
            if isinstance(each, Aggregate):
                kept = [
                    joined for joined in line.members
                    if all(self.row_test(scope, joined, start) is True for scope in scopes)
                ]  # fmt: skip
                return self.aggregate(each, kept, start)
            assert isinstance(each, MetricRef), each
            return self._metric(each, query, line, groups, scopes)

        def group_or(each: Expression) -> Value:
            if each in by:
                return line.key[by.index(each)]
            return leaf(each)

        if expression in by:
            return line.key[by.index(expression)]
        return self._composed(expression, by, group_or)

    def _composed(self, expression: Expression, by: Sequence[Expression],
                  leaf: Callable[[Expression], Value]) -> Value:  # fmt: skip
        """As `compose`, where a group stands for itself."""
        if expression in by or isinstance(expression, Aggregate | MetricRef):
            return leaf(expression)
        if isinstance(expression, Arithmetic):
            sides = [Constant.model_construct(kind="constant", spans=(),
                                              value=self._composed(each, by, leaf))
                     for each in (expression.left, expression.right)]  # fmt: skip
            whole = expression.model_copy(update={"left": sides[0], "right": sides[1]})
            return self._arithmetic(whole, leaf)
        if isinstance(expression, Period | Bin | Cast):
            value = self._composed(expression.of, by, leaf)
            inner = Constant.model_construct(kind="constant", spans=(), value=value)
            return self.compose(expression.model_copy(update={"of": inner}), leaf)
        return self.compose(expression, leaf)

    def aggregate(self, made: Aggregate, members: list[Joined], start: str) -> Value:
        if made.dataset:
            path = find_path(self.model, start, made.via, made.dataset)
            assert path
            found = {}
            for joined in members:
                for each in self.join(start, joined[()], {path}):
                    found[each[path][0]] = each[path]
            inner = [each for each in (made.of, made.where) if each is not None]
            paths = self.paths(inner, made.dataset)
            members = [
                joined for row in found.values() for joined in self.join(made.dataset, row, paths)
            ]
            start = made.dataset
        where = made.where
        hits = [
            each for each in members if where is None or self.row_test(where, each, start) is True
        ]
        if made.function == "share":
            return self._share(made, members, hits, start)
        if made.of is None:
            return len(hits)
        values = [self.value(made.of, each, start) for each in hits]
        return aggregate_values(made.function, [v for v in values if v is not None], made.at)

    def _share(
        self, made: Aggregate, members: list[Joined], hits: list[Joined], start: str
    ) -> Value:
        if made.of is None:
            return 100 * len(hits) / len(members) if members else None
        some, everything = (
            {v for each in part if (v := self.value(made.of, each, start)) is not None}
            for part in (hits, members)
        )
        return 100 * len(some) / len(everything) if everything else None

    def _metric(self, ref: MetricRef, query: Query, line: Line, groups: list[Line],
                scopes: tuple[Predicate, ...]) -> Value:  # fmt: skip
        metric = self.model.metric(ref.metric)
        assert metric is not None
        made = metric.definition
        if isinstance(made, Conversion):
            return self._conversion(made, line, query, scopes)
        if isinstance(made, Cumulative):
            return self._cumulative(made, query, line, groups, scopes)
        plain = query.model_copy(update={"by": (), "identity": ()})
        if metric.dataset != query.dataset:
            made = _of_others(made, metric.dataset)
        return self.figure(made, plain, Line((), line.members), groups, scopes)

    def _cumulative(self, made: Cumulative, query: Query, line: Line, groups: list[Line],
                    scopes: tuple[Predicate, ...]) -> Value:  # fmt: skip
        dataset = self.dataset(query.dataset)
        summed = MetricRef(metric=made.metric)
        periods = find_periods(query.by, dataset)
        if not periods:
            return self.figure(summed, query, line, groups, (*scopes, *_until_today(made, dataset)))
        place = query.by.index(periods[0])
        now = line.key[place]
        grain = grain_of(periods[0], dataset)
        values = []
        for each in groups:
            rest = [
                key == own
                for number, (key, own) in enumerate(zip(each.key, line.key, strict=True))
                if number != place
            ]
            if all(rest) and _counts(each.key[place], now, made, grain, self.model.calendar):
                values.append(self.figure(summed, query, each, groups, scopes))
        known = [each for each in values if each is not None]
        return sum(known) if known else None

    def _conversion(self, made: Conversion, line: Line, query: Query,
                    scopes: tuple[Predicate, ...]) -> Value:  # fmt: skip
        tests = []
        for name in (made.base, made.converted):
            metric = self.model.metric(name)
            assert metric is not None
            assert isinstance(metric.definition, Aggregate)
            tests.append((self.dataset(metric.dataset), metric.definition.where))
        (base, base_where), (converted, converted_where) = tests
        everyone, hits = set(), set()
        for joined in line.members:
            if not all(self.row_test(each, joined, query.dataset) is True for each in scopes):
                continue
            row = joined[()][1]
            if base_where and self.row_test(base_where, joined, base.name) is not True:
                continue
            entity = self.cell(base, row, made.entity)
            if entity is None:
                continue
            everyone.add(entity)
            first = self.cell(base, row, base.time)
            for number, other in self.table(converted.name):
                event: Joined = {(): (number, other)}
                if (
                    converted_where
                    and self.row_test(converted_where, event, converted.name) is not True
                ):
                    continue
                then = self.cell(converted, other, converted.time)
                same = self.cell(converted, other, made.entity) == entity
                if same and first is not None and then is not None and _in_time(first, then, made):
                    hits.add(entity)
        return 100 * len(hits) / len(everyone) if everyone else None

    # The whole query

    def lines(self, query: Query) -> list[Line]:
        """The lines of the result, in their order."""
        lines, groups = self._made(query)
        shown = columns_of(query, self.model)

        def of(each: Expression, line: Line) -> Value:
            if query.unique or query.combine:
                return line.cells[shown.index(each)]
            if query.by or query.metrics:
                return self.figure(each, query, line, groups)
            return self.value(each, line.members[0], query.dataset)

        for number, each in enumerate(query.transforms):
            added = self._transformed(each, query, lines, of, number)
            lines = [Line((*line.cells, value), line.members, line.key)
                     for line, value in zip(lines, added, strict=True)]  # fmt: skip
        if query.unique:
            lines = _different(lines)
        for other in query.combine:
            lines = _combined(other.operation, lines, self.lines(other.query))
        return self._ranked(query, lines, of)

    def _made(self, query: Query) -> tuple[list[Line], list[Line]]:
        """The lines of rows or groups, and all the groups there are."""
        start = query.dataset
        shown = columns_of(query, self.model)
        rank = query.rank
        nodes: list[Node | None] = [
            *query.metrics, *query.by, *shown, *query.identity, query.where, query.having,
            *query.transforms, query.compare, *query.sort, rank,
        ]  # fmt: skip
        paths = self.paths([each for each in nodes if each is not None], start)
        rows = [joined for row in self.table(start) for joined in self.join(start, row, paths)]
        if query.where is not None:
            rows = [each for each in rows if self.row_test(query.where, each, start) is True]
        if query.compare is not None:
            scopes = (query.compare.a.where, query.compare.b.where)
            rows = [
                each
                for each in rows
                if any(self.row_test(scope, each, start) is True for scope in scopes)
            ]
        if not (query.by or query.metrics):
            cells = [
                tuple(self._shown(query, each, self.value(each, row, start)) for each in shown)
                for row in rows
            ]
            return [Line(each, [row]) for each, row in zip(cells, rows, strict=True)], []
        groups = self._groups(query, rows)
        kept = [each for each in groups if self._having(query, each, groups)]
        return [
            Line(self._cells(query, each, groups), each.members, each.key) for each in kept
        ], groups

    def _groups(self, query: Query, rows: list[Joined]) -> list[Line]:
        by = (*query.by, *query.identity)
        found: dict[tuple[Value, ...], Line] = {} if query.by else {(): Line(())}
        for row in rows:
            key = tuple(self.value(each, row, query.dataset) for each in by)
            found.setdefault(key, Line((), [], key)).members.append(row)
        return list(found.values())

    def _having(self, query: Query, line: Line, groups: list[Line]) -> bool:
        if query.having is None:
            return True
        return self.figure_test(query.having, query, line, groups) is True

    def figure_test(
        self, predicate: Predicate, query: Query, line: Line, groups: list[Line]
    ) -> bool | None:
        return self.test(self._settled(predicate, query, line, groups), _no_field)

    def _settled(
        self, predicate: Predicate, query: Query, line: Line, groups: list[Line]
    ) -> Predicate:
        """A test of a group with the group's values in place of its expressions."""
        if isinstance(predicate, And | Or):
            parts = tuple(self._settled(each, query, line, groups) for each in predicate.of)
            return predicate.model_copy(update={"of": parts})
        if isinstance(predicate, Not):
            inner = self._settled(predicate.of, query, line, groups)
            return predicate.model_copy(update={"of": inner})
        changed = predicate
        for name in ("left", "right", "of", "low", "high"):
            part = getattr(predicate, name, None)
            if isinstance(part, Node):
                value = self.figure(part, query, line, groups)  # type: ignore[arg-type]
                held = Constant.model_construct(kind="constant", spans=(), value=value)
                changed = changed.model_copy(update={name: held})
        return changed

    def _cells(self, query: Query, line: Line, groups: list[Line]) -> tuple[Value, ...]:
        made: list[Value] = []
        by = (*query.by, *query.identity)
        for each in columns_of(query, self.model):
            if query.compare is None or each in by:
                made.append(self._shown(query, each, self.figure(each, query, line, groups)))
                continue
            scopes = (query.compare.a.where, query.compare.b.where)
            a, b = (self.figure(each, query, line, groups, (scope,)) for scope in scopes)
            made += [a, b, None if a is None or b is None else a - b]
        return tuple(made)

    def _shown(self, query: Query, expression: Expression, value: Value) -> Value:
        """A cell, rounded where it is computed and decimals are asked for."""
        computed = not isinstance(expression, FieldRef) and expression not in query.by
        if not computed or query.decimals is None or not isinstance(value, int | float):
            return value
        exact = Decimal(repr(value)).quantize(Decimal(1).scaleb(-query.decimals), ROUND_HALF_UP)
        return float(exact)

    def _ties(self, query: Query, line: Line) -> tuple[Value, ...]:
        """What orders lines that are equal in an order."""
        if query.unique or query.combine:
            return line.cells
        if query.by or query.metrics:
            return line.key
        dataset = self.dataset(query.dataset)
        key = tuple(self.cell(dataset, line.members[0][()][1], each) for each in dataset.key)
        return (*key, *line.cells)

    def _in_order(self, query: Query, lines: list[Line], orders: Sequence[Order],
                  of: Callable[[Expression, Line], Value]) -> list[Line]:  # fmt: skip
        def sorting(one: Line, other: Line) -> int:
            for order in orders:
                found = _compare_cells(of(order.by, one), of(order.by, other), order.descending)
                if found:
                    return found
            for a, b in zip(self._ties(query, one), self._ties(query, other), strict=True):
                if found := _compare_cells(a, b, False):
                    return found
            return 0

        return sorted(lines, key=cmp_to_key(sorting))

    def _transformed(
        self,
        made: Transform,
        query: Query,
        lines: list[Line],
        of: Callable[[Expression, Line], Value],
        number: int,
    ) -> list[Value]:
        if made.operation == "difference":
            assert made.base is not None
            pairs = [(of(made.of, line), of(made.base, line)) for line in lines]
            return [None if None in pair else pair[0] - pair[1] for pair in pairs]
        values: dict[int, Value] = {}
        plain = [Line(line.cells[: len(line.cells) - number], line.members, line.key)
                 for line in lines]  # fmt: skip
        numbered = {id(line): place for place, line in enumerate(plain)}
        parts: dict[tuple[Value, ...], list[Line]] = {}
        for line in plain:
            key = tuple(of(each, line) for each in made.within)
            parts.setdefault(key, []).append(line)
        settled = made.along if query.by or query.metrics else (*made.along, Order(by=made.of))
        for part in parts.values():
            dataset = self.dataset(query.dataset)
            order = made.along if dataset.key else settled
            part = self._in_order(query, part, order, of)
            cells = [of(made.of, line) for line in part]
            for place, line in enumerate(part):
                values[numbered[id(line)]] = _along(made, cells, place)
        return [values[place] for place in range(len(lines))]

    def _ranked(self, query: Query, lines: list[Line],
                of: Callable[[Expression, Line], Value]) -> list[Line]:  # fmt: skip
        rank = query.rank
        if rank is None:
            return self._in_order(query, lines, query.sort, of) if query.sort else lines
        taking = rank.by or query.sort
        parts: dict[tuple[Value, ...], list[Line]] = {}
        for line in lines:
            parts.setdefault(tuple(of(each, line) for each in rank.within), []).append(line)
        taken = []
        for part in parts.values():
            part = self._in_order(query, part, taking, of)
            end = rank.skip + rank.n
            taken += part[rank.skip : end]
            if rank.ties and len(part) > end:
                last = [of(order.by, part[end - 1]) for order in taking]
                for line in part[end:]:
                    if [of(order.by, line) for order in taking] == last:
                        taken.append(line)
        final = query.sort or (*(Order(by=each) for each in rank.within), *taking)
        return self._in_order(query, taken, final, of)


def _no_field(expression: Expression) -> Value:
    raise AssertionError(f"a group has no {expression.kind}")


CALENDAR_START: dict[str, Callable[[date], date]] = {
    **{grain: CALENDAR[grain] for grain in ("half", "quarter", "month", "week", "day")},
    "year": lambda day: date(day.year, 1, 1),
}


def _moment(when: Value) -> datetime:
    return when if isinstance(when, datetime) else datetime.combine(when, time())


def _of_others(made: Expression, dataset: str) -> Expression:
    if isinstance(made, Aggregate):
        return made.model_copy(update={"dataset": dataset})
    if isinstance(made, Arithmetic):
        left, right = (_of_others(each, dataset) for each in (made.left, made.right))
        return made.model_copy(update={"left": left, "right": right})
    return made


def _until_today(made: Cumulative, dataset: Dataset) -> tuple[Predicate, ...]:
    if not made.grain:
        return ()
    length = made.window or 1
    time_ref = FieldRef(dataset=dataset.name, field=dataset.time)
    return (During(of=time_ref, grain=made.grain, first=1 - length, length=length, to_date=True),)


def _counts(period: Value, now: Value, made: Cumulative, grain: str, calendar: Calendar) -> bool:
    """Whether the figure of a period counts for the sum that is shown at another one."""
    if period is None or now is None:
        return period is None and now is None
    if period > now:
        return False
    if not made.grain:
        return True
    if isinstance(period, int):  # years
        return bool(now - period < (made.window or 1))
    first = (
        period_of(now, "week", calendar)
        if made.grain == "week"
        else CALENDAR_START[made.grain](now)
    )
    if made.window:
        # The last periods, of which the shown one is a part: so many of them, up to its end.
        first = move(move(now, grain, 1), made.grain, -made.window)
    return bool(first <= period)


def _in_time(first: Value, then: Value, made: Conversion) -> bool:
    if type(first) is not type(then):
        first, then = (
            each.date() if isinstance(each, datetime) else each for each in (first, then)
        )
    days = (then - first).total_seconds() / 86400
    return bool(days >= 0 and (not made.days or days <= made.days))


def compare(left: Value, operator: str, right: Value) -> bool | None:
    """Whether a comparison holds: of a moment with a day, by the day that the moment is in."""
    if left is None or right is None:
        return None
    left, right = _alike(left, right)
    return bool(_OPERATORS[operator](left, right))


_OPERATORS: dict[str, Callable[[Value, Value], Value]] = {
    "=": operators.eq, "!=": operators.ne, ">": operators.gt, ">=": operators.ge,
    "<": operators.lt, "<=": operators.le,
}  # fmt: skip


def _alike(left: Value, right: Value) -> tuple[Value, Value]:
    pair = [left, right]
    for place, (one, other) in enumerate(((left, right), (right, left))):
        if isinstance(one, str) and isinstance(other, date):
            pair[place] = parse_day(one) or parse_moment(one)
        elif isinstance(one, str) and isinstance(other, time):
            pair[place] = parse_time(one)
    moments = [isinstance(each, datetime) for each in pair]
    if any(moments) and not all(moments):
        pair = [each.date() if isinstance(each, datetime) else each for each in pair]
    return pair[0], pair[1]


def _compare_cells(one: Value, other: Value, descending: bool) -> int:
    if one is None or other is None:
        return (one is None) - (other is None)
    if one == other:
        return 0
    return (1 if one > other else -1) * (-1 if descending else 1)


def _different(lines: list[Line]) -> list[Line]:
    """Lines that repeat as one, of the rows of all of them."""
    same: dict[tuple[Value, ...], list[Line]] = {}
    for line in reversed(lines):
        same.setdefault(line.cells, []).append(line)
    return [
        Line(cells, [row for line in found for row in line.members], found[-1].key)
        for cells, found in same.items()
    ]


def _combined(operation: str, lines: list[Line], others: list[Line]) -> list[Line]:
    cells = {line.cells for line in others}
    if operation == "union":
        return _different([*lines, *others])
    wanted = operation == "intersect"
    return [line for line in _different(lines) if (line.cells in cells) == wanted]


def _along(made: Transform, cells: list[Value], place: int) -> Value:
    value = cells[place]
    so_far = [each for each in cells[: place + 1] if each is not None]
    if made.operation == "share":
        return _percent(value, sum(each for each in cells if each is not None))
    if made.operation == "rank":
        if value is None:
            return 1 + sum(each is not None for each in cells)
        return 1 + sum(each is not None and each > value for each in cells)
    if made.operation == "running":
        return sum(so_far) if so_far else None
    if made.operation == "moving":
        last = [each for each in cells[max(0, place + 1 - made.n) : place + 1] if each is not None]
        return sum(last) / len(last) if last else None
    if made.operation == "index":
        return _percent(value, cells[0])
    before = cells[place - made.n] if place >= made.n else None
    if value is None or before is None:
        return None
    change = value - before
    return change if made.operation == "change" else _percent(change, before)


def _percent(part: Value, whole: Value) -> Value:
    return None if part is None or not whole else 100 * part / whole


def result(query: Query, evaluation: Evaluation) -> list[tuple[Value, ...]]:
    """The cells of a query's result; fields of plain rows as they stand in the data."""
    lines, rank = evaluation.lines(query), query.rank
    placed = rank is not None and (
        rank.ties or rank.within or (rank.by and query.sort and rank.by != query.sort)
    )
    shown = columns_of(query, evaluation.model)
    if query.by or query.metrics or query.combine or placed:
        return [line.cells for line in lines]
    if query.unique:
        told = not query.transforms and all(isinstance(each, FieldRef) for each in shown)
        return [evaluation.gathered(query, line) if told else line.cells for line in lines]
    made: list[tuple[Value, ...]] = []
    for line in lines:
        pairs = zip(shown, line.cells, strict=False)
        written = [evaluation.as_written(query, *pair, line) for pair in pairs]
        made.append((*written, *line.cells[len(shown) :]))
    return made


__all__ = ["Evaluation", "compare", "kind_of", "result"]
