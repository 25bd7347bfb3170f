"""Parts of a request in the words of an answer, which are not read again.

Fields stand as the data call them. What has no short form is said as the parser writes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from flows.analysis.language.phrasebook import COMPARISONS
from flows.analysis.language.words import split_identifier
from flows.analysis.parser.exact import phrase
from flows.analysis.parser.periods import write_period
from flows.semantics import query as q
from flows.semantics.model import SemanticModel

_FUNCTIONS: Final = {
    "average": "average", "median": "median", "sum": "total", "minimum": "minimum",
    "maximum": "maximum", "count": "number of values of", "count distinct": "number of different",
}  # fmt: skip
_PLACES: Final = {
    "contains": "containing", "starts": "starting with", "ends": "ending with",
}  # fmt: skip
_TIMES: Final = {"=": "in", ">=": "since", ">": "after", "<": "before", "<=": "until"}


class QueryWords:
    """Says the parts of a query over a model."""

    def __init__(self, query: q.Query, model: SemanticModel) -> None:
        self.query = query
        self.model = model
        # The conditions that the result is about: those of a share when there are no others.
        self.conditions = _conditions(query.where) or _shared(query)

    def term(self, of: q.Expression) -> str:
        """A field or a figure."""
        match of:
            case q.FieldRef(field=field):
                return field
            case q.Cast(of=inner):
                return self.term(inner)
            case q.Period(of=inner, grain=grain):
                return f"{grain.split(' ')[0]} of {self.term(inner)}"
            case q.MetricRef(metric=metric):
                return " ".join(split_identifier(metric))
            case q.Aggregate(function="share", dataset=""):
                return "share"
            case q.Aggregate(function=function, of=inner, where=None, dataset="") if (
                inner is None or function in _FUNCTIONS
            ):
                whole = f"{_FUNCTIONS[function]} {self.term(inner)}" if inner else ""
                return whole or "number of rows"
        return self._phrase(of)

    def _phrase(self, node: q.Expression | q.Predicate) -> str:
        return phrase(node, self.query.dataset, self.model).replace("`", "")

    def about(self) -> str:
        """All conditions, with a blank before; empty where there are none."""
        return self._all(self.conditions)

    def others(self) -> str:
        """The conditions that are not about a year, with a blank before."""
        return self._all([each for each in self.conditions if not is_year_condition(each)])

    def _all(self, conditions: Sequence[q.Predicate]) -> str:
        said = [text for each in conditions if (text := self.condition(each))]
        return "".join(f" {'and' if i else 'with'} {each}" for i, each in enumerate(said))

    def time(self) -> str:
        """`in 2007`, `since 2000`: the conditions on a year, if there are any."""
        timed = [each for each in self.conditions if is_year_condition(each)]
        return " and ".join(map(_year_words, timed))

    def condition(self, test: q.Predicate, denied: str = "") -> str:
        """What holds of a row, behind `with`."""
        if (when := write_period(test)) is not None:
            return f"{self.term(_time(test))} {denied}{when}"
        match test:
            case q.Or(of=parts) | q.And(of=parts) if not denied:
                word = " or " if isinstance(test, q.Or) else " and "
                return word.join(map(self.condition, parts))
            case q.Not(of=inner) if not denied:
                return self.condition(inner, "not ")
            case q.Comparison(left=left, operator=operator, right=right) if not denied:
                said = "" if operator == "=" else COMPARISONS.write(operator)
                return " ".join(filter(None, (self.term(left), said, self.value(right))))
            case q.Between(of=of, low=low, high=high):
                return f"{self.term(of)} {denied}between {self.value(low)} and {self.value(high)}"
            case q.OneOf(of=of, values=values):
                return f"{self.term(of)} {denied}{' or '.join(map(str, values))}"
            case q.Match(of=of, place=place, text=text):
                return f"{self.term(of)} {denied}{_PLACES[place]} {text}"
            case q.Missing(of=of):
                return f"{self.term(of)} {denied}missing"
            case q.Exists(dataset=dataset, where=where):
                return f"{'no ' if denied else ''}{dataset}{self._where(where)}"
            case q.Among(of=of, query=query):
                if query.rank is None and not query.by:
                    return f"{'no ' if denied else ''}{self._belonging(query)}"
                return f"{self.term(of)} {denied}among {self.inside(query)}"
        whole = q.Not(of=test) if denied else test
        return self._phrase(whole)

    def _where(self, where: q.Predicate | None) -> str:
        kept = [each for each in _conditions(where) if not _is_presence(each)]
        said = [text for each in kept if (text := self.condition(each))]
        return f" where {' and '.join(said)}" if said else ""

    def _belonging(self, query: q.Query) -> str:
        """The rows of another dataset that belong to a row: `orders where amount more than 5`."""
        tests = _conditions(query.where)
        deeper = next((each for each in tests if isinstance(each, q.Exists | q.Among)), None)
        if isinstance(deeper, q.Among) and deeper.query.dataset != query.dataset:
            return self._belonging(deeper.query)
        if isinstance(deeper, q.Exists):
            return self.condition(deeper)
        return f"{query.dataset}{self._where(query.where)}"

    def value(self, of: q.Expression) -> str:
        """What something is compared with."""
        match of:
            case q.Constant(value=value):
                return str(value)
            case q.FieldRef():
                return f"its {self.term(of)}"
            case q.Scalar(query=query):
                return self.inside(query)
        return self.term(of)

    def inside(self, query: q.Query) -> str:
        """A query in another one: `the average price of cars with year 2010`."""
        inner = QueryWords(query, self.model)
        shown = query.show or (*query.by, *query.metrics)
        asked = " and the ".join(map(inner.term, shown)) or "rows"
        order = next(iter(query.rank.by if query.rank else ()), None)
        if order is not None and query.rank is not None and query.rank.n == 1:
            if query.by and order.by == q.Aggregate(function="count"):
                asked = f"{'most' if order.descending else 'least'} common {asked}"
            else:
                end = "highest" if order.descending else "lowest"
                asked = f"{asked} with the {end} {inner.term(order.by)}"
        said = inner.about()
        rows = f" of {query.dataset}{said}" if said or not (query.by or query.metrics) else ""
        return f"the {asked}{rows}"


def _conditions(where: q.Predicate | None) -> tuple[q.Predicate, ...]:
    """The conditions that must all hold. Those of rows that belong are said as of the row."""
    return tuple(
        inner
        for each in q.conjuncts(where)
        for inner in (
            _conditions(each.where) if isinstance(each, q.Exists) and each.where else (each,)
        )
    )


def _shared(query: q.Query) -> tuple[q.Predicate, ...]:
    shares = (e.where for e in query.metrics if isinstance(e, q.Aggregate) and e.where)
    return _conditions(next(shares, None))


def _is_presence(test: q.Predicate) -> bool:
    return isinstance(test, q.Not) and isinstance(test.of, q.Missing)


def is_year_condition(test: q.Predicate) -> bool:
    """Whether a condition says which years are meant, and nothing else."""
    match test:
        case q.Comparison(left=of, operator=operator, right=q.Constant(value=value)):
            values: Sequence[object] = (value,) if operator in _TIMES else ()
        case q.Between(of=of, low=q.Constant(value=low), high=q.Constant(value=high)):
            values = (low, high)
        case q.OneOf(of=of, values=values):
            pass
        case _:
            return False
    years = [each for each in values if type(each) is int and 1000 <= each <= 2200]
    return _is_year(of) and bool(years) and len(years) == len(values)


def _is_year(of: q.Expression) -> bool:
    if isinstance(of, q.Period):
        return of.grain == "year"
    return isinstance(of, q.FieldRef) and "year" in split_identifier(of.field)


def _year_words(test: q.Predicate) -> str:
    match test:
        case q.Comparison(operator=operator, right=q.Constant(value=value)):
            return f"{_TIMES[operator]} {value}"
        case q.Between(low=q.Constant(value=low), high=q.Constant(value=high)):
            return f"between {low} and {high}"
        case q.OneOf(values=values):
            return f"in {' or '.join(map(str, values))}"
    raise TypeError(f"{test.kind} says no year")


def _time(test: q.Predicate) -> q.Expression:
    """The time that a condition on a period is about."""
    assert isinstance(test, q.Comparison | q.Between | q.During), test.kind
    of = test.left if isinstance(test, q.Comparison) else test.of
    return of.of if isinstance(of, q.Period) else of


def plural_of(column: str) -> str | None:
    """The plural of a column that is called by one plain noun: `country`, not `custRef`."""
    if not column.isalpha() or len(column) < 4 or split_identifier(column) != (column.casefold(),):
        return None
    if column[-1] == "s" or not set("aeiou") & set(column.casefold()):
        return None
    if column[-1] == "y" and column[-2] not in "aeiou":
        return f"{column[:-1]}ies"
    return f"{column}es" if column.endswith(("x", "z", "ch", "sh")) else f"{column}s"


def in_words(number: int) -> str:
    """A small whole number as a word: it counts what is shown and is no value of the data."""
    if not 0 <= number < 100:
        return f"{number:,}"
    if number < len(_SMALL):
        return _SMALL[number]
    tens, ones = divmod(number, 10)
    return f"{_TENS[tens - 2]}-{_SMALL[ones]}" if ones else _TENS[tens - 2]


_SMALL = [
    "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
]  # fmt: skip
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
