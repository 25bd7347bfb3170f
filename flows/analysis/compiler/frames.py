"""A checked request as pandas statements over one data frame, which is called `data`.

The frame holds the rows of the query's dataset, its columns named and cleaned as the semantic model
has them. A column of the result has the name that SQL gives it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Final

from flows.analysis.compiler.functions import FRAME_DATE, FRAME_PERIODS
from flows.analysis.compiler.labels import label_lines
from flows.analysis.compiler.names import column_names, distinct, expression_name
from flows.semantics.calendar import days_of
from flows.semantics.kinds import columns_of, kind_of, parse_day
from flows.semantics.labels import labelled_columns
from flows.semantics.model import Conversion, Cumulative, SemanticModel
from flows.semantics.node import Node
from flows.semantics.query import (
    Aggregate,
    And,
    Arithmetic,
    Between,
    Bin,
    Cast,
    Comparison,
    Constant,
    DateOf,
    During,
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
    Transform,
    conjuncts,
)

_METHODS: Final = {
    "average": "mean()", "median": "median()", "sum": "sum()", "minimum": "min()",
    "maximum": "max()", "count": "count()", "count distinct": "nunique()", "deviation": "std()",
}  # fmt: skip
_ALONG: Final = {"running": "cumsum()", "change": "diff({n})", "growth": "pct_change({n}) * 100.0"}
_PLACES: Final = {
    "contains": "str.contains({text!r}, case=False, regex=False)",
    "starts": "str.lower().str.startswith({text!r})",
    "ends": "str.lower().str.endswith({text!r})",
}  # fmt: skip
_SIGNS: Final = {"=": "=="}
_FAR: Final = "it needs more than the rows of one table"


class FrameLimit(Exception):
    """A request asks for what statements over one data frame cannot say."""


def filter_lines(
    where: Predicate | None, dataset: str, model: SemanticModel, today: date | None = None
) -> list[str]:
    """Statements that keep of `data`, the rows of a dataset, those for which a predicate holds.

    Periods are counted from `today`. Raises FrameLimit, also where it is not known.
    """
    writer = _Writer(model, dataset, {}, today)
    return [f"data = data[{writer.test(each)}]" for each in conjuncts(where)]


def row_text(expression: Expression, dataset: str, model: SemanticModel) -> str:
    """An expression over the rows of a dataset, which are those of `data`. Raises FrameLimit."""
    return _Writer(model, dataset, {}).write(expression)


def query_lines(
    query: Query, model: SemanticModel, *, name: str = "result", missing: bool = True
) -> list[str]:
    """Statements that make the result of a query, called `name`. With `missing` the rows that have
    no value to be grouped by are groups too. Raises FrameLimit."""
    if query.combine:
        raise FrameLimit(_FAR)
    if query.compare:
        raise FrameLimit("code over a data frame has no way to say two scopes side by side")
    return _Lines(query, model, name, missing=missing).lines()


class _Writer:
    """Writes expressions and predicates; `known` are those that stand in a column already."""

    def __init__(
        self, model: SemanticModel, dataset: str, known: Mapping[Expression, str],
        today: date | None = None,
    ) -> None:  # fmt: skip
        self.model = model
        self.dataset = dataset
        self.known = known
        self.today = today

    def write(self, expression: Expression) -> str:
        if expression in self.known:
            return self.known[expression]
        match expression:
            case Constant(value=value):
                return repr(value)
            case FieldRef():
                column = self._column(expression)
                return f"pd.to_datetime({column})" if self._is_time(expression) else column
            case Cast(of=of):
                return f'pd.to_numeric({self.write(of)}, errors="coerce")'
            case DateOf(year=year, month=month, day=day):
                return FRAME_DATE.format(self.write(year), self.write(month), self.write(day))
            case Bin(of=of, width=width):
                return f"({self.write(of)} // {width:g} * {width:g})"
            case Period(of=of, grain=grain) if grain in FRAME_PERIODS:
                value = self._column(of) if isinstance(of, FieldRef) else self.write(of)
                sundays = grain == "week" and self.model.calendar.week_start == "sunday"
                return f"pd.to_datetime({value}).{FRAME_PERIODS['sunday' if sundays else grain]}"
            case Arithmetic(operator=operator, left=left, right=right):
                if not (self._is_time(left) or self._is_time(right)):
                    return f"({self.write(left)} {operator} {self.write(right)})"
                first, second = map(self._moment, (left, right))
                return f"(({first} - {second}).dt.total_seconds() / 86400)"
        raise FrameLimit(_limit(expression))

    def _moment(self, of: Expression) -> str:
        return f"pd.Timestamp({of.value!r})" if isinstance(of, Constant) else self.write(of)

    def _column(self, of: FieldRef) -> str:
        if of.dataset != self.dataset or of.via:
            raise FrameLimit(_FAR)
        return f"data[{of.field!r}]"

    def _is_time(self, of: Expression) -> bool:
        return kind_of(of, self.model) in ("date", "timestamp")

    def test(self, test: Predicate, *, denied: bool = False) -> str:
        """What holds of a row. Of a missing value neither a test nor its opposite does."""
        if (period := self._period(test)) is not None:
            return self._said(period[0], denied, period[1])
        match test:
            case Not(of=inner):
                return self.test(inner, denied=not denied)
            case And(of=parts) | Or(of=parts):
                sign = " & " if isinstance(test, And) is not denied else " | "
                return sign.join(f"({self.test(each, denied=denied)})" for each in parts)
            case Missing(of=of):
                return f"{self.write(of)}.{'notna' if denied else 'isna'}()"
            case Comparison(left=left, operator=operator, right=right):
                first, second = self._sides(left, right)
                made = f"{first} {_SIGNS.get(operator, operator)} {second}"
                unlike = operator == "!=" and not denied
                return self._known(f"({made})", left, right) if unlike else self._said(
                    made, denied, left, right
                )  # fmt: skip
            case Between(of=of, low=low, high=high):
                value, least, most = self._sides(of, low, high)
                return self._said(f"{value}.between({least}, {most})", denied, of)
            case OneOf(of=of, values=values):
                value, *others = self._sides(of, *(Constant(value=each) for each in values))
                listed = f"[{', '.join(others)}]"
                among = f"pd.to_datetime({listed})" if self._is_time(of) else listed
                return self._said(f"{value}.isin({among})", denied, of)
            case Match(of=of, place=place, text=text):
                said = text if place == "contains" else text.casefold()
                made = f'{self.write(of)}.astype("str").{_PLACES[place].format(text=said)}'
                return self._said(made, denied, of)
        raise FrameLimit(_limit(test))

    def _period(self, test: Predicate) -> tuple[str, Expression] | None:
        """That a time lies in a period by its days, and the time; None for another test, and for
        periods that a series of times tells by itself."""
        of = test.left if isinstance(test, Comparison) else getattr(test, "of", None)
        if isinstance(of, Period) and of.grain not in FRAME_PERIODS:
            of = of.of
        elif not isinstance(test, During) or self.today is None:
            return None
        found = days_of(test, self.today or date.min, self.model.calendar)
        if found is None or of is None:
            return None
        time, signs = self.write(of), zip((">=", "<"), found, strict=True)
        ends = [f"({time} {sign} pd.Timestamp({str(day)!r}))" for sign, day in signs if day]
        return f"({' & '.join(ends)})", of

    def _sides(self, *sides: Expression) -> list[str]:
        """What is compared; a moment by its day where it is compared with days."""
        written = [self.write(each) for each in sides]
        first, *others = sides
        days = all(isinstance(e, Constant) and parse_day(str(e.value)) for e in others)
        if days and kind_of(first, self.model) == "timestamp":
            written[0] = f"{written[0]}.dt.normalize()"
        return written

    def _said(self, test: str, denied: bool, *sides: Expression) -> str:
        return self._known(f"~({test})", *sides) if denied else test

    def _known(self, test: str, *sides: Expression) -> str:
        """A test that no missing value passes."""
        known = [f"{self.write(e)}.notna()" for e in sides if not isinstance(e, Constant)]
        return " & ".join([test, *known])


class _Lines:
    """Writes the statements of one query. `names` are the columns that are shown, of transforms
    after the others; `columns` are all, those too by which it only sorts, tests and computes."""

    def __init__(self, query: Query, model: SemanticModel, name: str, *, missing: bool) -> None:
        self.query = query
        self.model = model
        self.name = name
        self.rows = _Writer(model, query.dataset, {})
        self.groups = list(dict.fromkeys((*query.by, *query.identity)))
        self.grouped = bool(query.by or query.metrics)
        self.by = f"groupby(keys, observed=True{', dropna=False' if missing else ''})"
        shown = columns_of(query, model)
        self.order = query.rank.by if query.rank and query.rank.by else query.sort
        self.hidden = [each for each in self._hidden() if each not in shown]
        made = [each.operation for each in query.transforms]
        plain = [expression_name(each, model) for each in self.hidden]
        named = distinct([*column_names(shown, model), *made, *plain])
        self.names = named[: len(shown) + len(made)]
        self.made = named[len(shown) : len(shown) + len(made)]
        self.columns: dict[Expression, str] = dict(
            zip(
                (*shown, *self.hidden),
                [*named[: len(shown)], *named[len(self.names) :]],
                strict=True,
            )
        )
        known = {each: f"{name}[{column!r}]" for each, column in self.columns.items()}
        self.result = _Writer(model, query.dataset, known)

    def _hidden(self) -> list[Expression]:
        """What a query sorts, tests, groups by or computes with, each once."""
        query = self.query
        found = [*self.groups, *(each.by for each in self.order)]
        if query.having is not None:
            found += [each for each in _tested(query.having) if not isinstance(each, Constant)]
        for made in query.transforms:
            found += [made.of, *made.within, *(each.by for each in made.along)]
        found += query.rank.within if query.rank else ()
        return list(dict.fromkeys(found))

    def lines(self) -> list[str]:
        query, name = self.query, self.name
        lines = filter_lines(query.where, query.dataset, self.model)
        lines += self._groups() if self.grouped else self._rows()
        if query.having is not None:
            lines.append(f"{name} = {name}[{self.result.test(query.having)}]")
        for made, column in zip(query.transforms, self.made, strict=True):
            lines += self._transform(made, column)
        if self.order:
            lines.append(self._sorted(self.order))
        if query.unique:
            lines.append(f"{name} = {name}[{self.names!r}].drop_duplicates()")
        lines += self._cut()
        if query.show or self.grouped or self.hidden:
            lines.append(f"{name} = {name}[{self.names!r}]")
        if query.decimals is not None:
            lines.append(f"{name} = {name}.round({query.decimals})")
        for place, grain in labelled_columns(query, self.model).items():
            lines += label_lines(name, self.names[place], grain)
        return [*lines, f"{name} = {name}.reset_index(drop=True)"]

    def _rows(self) -> list[str]:
        if self.query.show:
            made = {column: self.rows.write(each) for each, column in self.columns.items()}
            return [f"{self.name} = pd.DataFrame({_dictionary(made)})"]
        fields = columns_of(self.query, self.model)
        return [
            f"{self.name} = data.copy()",
            *(f"{self.name}[{column!r}] = {self.rows.write(each)}"
              for each, column in self.columns.items() if each not in fields),
        ]  # fmt: skip

    def _groups(self) -> list[str]:
        figures = {
            column: self._figure(each)
            for each, column in self.columns.items()
            if each not in self.groups
        }
        if not self.groups:
            listed = {column: f"[{made}]" for column, made in figures.items()}
            return [f"{self.name} = pd.DataFrame({_dictionary(listed)})"]
        names = [self.columns[each] for each in self.groups]
        keys = ", ".join(
            f"{self.rows.write(each)}.rename({column!r})"
            for each, column in zip(self.groups, names, strict=True)
        )
        made = (
            f"pd.DataFrame({_dictionary(figures)}).reset_index()"
            if figures
            else f"pd.concat(keys, axis=1).drop_duplicates().sort_values({names!r})"
        )
        return [f"keys = [{keys}]", f"{self.name} = {made}"]

    def _figure(self, of: Expression) -> str:
        """A figure of each group, or of all rows."""
        match of:
            case Aggregate(dataset=""):
                return self._aggregate(of)
            case Constant():
                return self.rows.write(of)
            case Arithmetic(operator=operator, left=left, right=right):
                return f"({self._figure(left)} {operator} {self._figure(right)})"
            case MetricRef(metric=name):
                metric = self.model.metric(name)
                made = metric.definition if metric is not None else None
                own = metric is not None and metric.dataset == self.query.dataset
                if own and made is not None and not isinstance(made, Cumulative | Conversion):
                    return self._figure(made)
        raise FrameLimit(_limit(of))

    def _aggregate(self, made: Aggregate) -> str:
        value = None if made.of is None else self.rows.write(made.of)
        test = None if made.where is None else self.rows.test(made.where)
        if made.function == "share":
            if value is None:
                return f"100.0 * {self._of_rows(f'({test})', 'mean()')}"
            part = self._of_rows(f"{value}.where({test})", "nunique()")
            return f"100.0 * {part} / {self._of_rows(value, 'nunique()')}"
        if value is None:
            if test is not None:
                return self._of_rows(f"({test})", "sum()")
            return f"data.{self.by}.size()" if self.groups else "len(data)"
        if test is not None:
            value = f"{value}.where({test})"
        quantile = f"quantile({(made.at or 0.0) / 100:g})"
        return self._of_rows(value, _METHODS.get(made.function, quantile))

    def _of_rows(self, value: str, method: str) -> str:
        return f"{value}.{self.by}.{method}" if self.groups else f"{value}.{method}"

    def _transform(self, made: Transform, column: str) -> list[str]:
        """The statements that add a column computed from the rows of the result."""
        name, of = self.name, self.result.write(made.of)
        lines = [self._sorted(made.along)] if made.along else []
        within = ""
        if made.within:
            groups = [self.columns[each] for each in made.within]
            within = f".groupby({groups!r}, observed=True, dropna=False)[{self.columns[made.of]!r}]"
        each = f"{name}{within}" if within else of
        if made.operation == "rank":
            value = f'{each}.rank(method="min", ascending=False, na_option="bottom")'
            return [f"{name}[{column!r}] = {value}.astype('int64')"]
        if made.operation == "share":
            total = f"{each}.transform('sum')" if within else f"{of}.sum()"
            return [f"{name}[{column!r}] = 100.0 * {of} / {total}"]
        if made.operation not in _ALONG:
            raise FrameLimit(f"code over a data frame has no way to compute {made.operation}")
        method = _ALONG[made.operation].format(n=made.n if made.n > 1 else "")
        return [*lines, f"{name}[{column!r}] = {each}.{method}"]

    def _sorted(self, order: Sequence[Order]) -> str:
        by = [self.columns[each.by] for each in order]
        up = [not each.descending for each in order]
        return f'{self.name} = {self.name}.sort_values({by!r}, ascending={up!r}, kind="stable")'

    def _cut(self) -> list[str]:
        rank, name = self.query.rank, self.name
        if rank is None:
            return []
        if rank.ties:
            raise FrameLimit("code over a data frame has no way to keep those that tie")
        if not rank.within:
            return [f"{name} = {name}.iloc[{rank.skip}:{rank.skip + rank.n}]"]
        groups = [self.columns[each] for each in rank.within]
        place = f"{name}.groupby({groups!r}, observed=True, dropna=False).cumcount()"
        return [f"{name} = {name}[{place}.between({rank.skip}, {rank.skip + rank.n - 1})]"]


def _dictionary(made: Mapping[str, str]) -> str:
    return f"{{{', '.join(f'{name!r}: {text}' for name, text in made.items())}}}"


def _tested(test: Predicate) -> list[Expression]:
    """What the parts of a predicate compare."""
    match test:
        case Not(of=inner):
            return _tested(inner)
        case And(of=parts) | Or(of=parts):
            return [each for part in parts for each in _tested(part)]
        case Comparison(left=left, right=right):
            return [left, right]
        case Between(of=of, low=low, high=high):
            return [of, low, high]
        case OneOf(of=of) | Match(of=of) | Missing(of=of):
            return [of]
    raise FrameLimit(_limit(test))


def _limit(node: Node) -> str:
    return f"code over a data frame has no way to say {getattr(node, 'kind', 'it')!r}"
