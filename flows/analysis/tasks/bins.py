"""Named ranges of a column, `Child (<18), Adult (18-59), Senior (60+)`, and figures of each."""

from __future__ import annotations

import re
from dataclasses import dataclass

from flows.analysis.tasks.statistics import spoken
from flows.semantics.model import Dataset, SemanticModel
from flows.semantics.query import (
    Aggregate,
    Comparison,
    Constant,
    Expression,
    FieldRef,
    Operator,
    Predicate,
    Query,
    conjunction,
)
from flows.semantics.tree import parts

_VERB = re.compile(
    r"\b(?:group|bin|categori[sz]e|divide|split|classify|segment|cut|discreti[sz]e|create|define)\b",
    re.IGNORECASE,
)
_Q = "[\"'`\u201c\u201d\u2018\u2019]"
_BIN = re.compile(
    rf"{_Q}?(?P<name>[A-Za-z][\w-]*(?: [\w-]+)?){_Q}?\s*\((?P<range>[^()]*\d[^()]*)\)"
)
_NUMBER = r"(-?\d+(?:\.\d+)?)"
# How a range is written; `lo` and `hi` are the operators of its ends.
_RANGES: tuple[tuple[str, Operator | None, Operator | None], ...] = (
    (rf"{_NUMBER} ?(?:-|\u2013|to|through) ?{_NUMBER}", ">=", "<="),
    (rf"between {_NUMBER} and {_NUMBER}", ">=", "<="),
    (rf"{_NUMBER} ?(?:<=|\u2264) ?x ?< ?{_NUMBER}", ">=", "<"),
    (rf"{_NUMBER} ?(?:<=|\u2264) ?x ?(?:<=|\u2264) ?{_NUMBER}", ">=", "<="),
    (rf"{_NUMBER} ?< ?x ?(?:<=|\u2264) ?{_NUMBER}", ">", "<="),
    (rf"(?:x )?(?:<=|\u2264|up to|at most) ?{_NUMBER}", None, "<="),
    (rf"{_NUMBER} (?:and|or) (?:below|under|younger|less|fewer|lower)", None, "<="),
    (rf"(?:x )?(?:<|under|below|less than|younger than|fewer than) ?{_NUMBER}", None, "<"),
    (rf"(?:x )?(?:>=|\u2265|from|at least) ?{_NUMBER}", ">=", None),
    (rf"{_NUMBER} ?(?:\+|(?:and|or) (?:above|over|older|more|up|higher|greater))", ">=", None),
    (rf"(?:x )?(?:>|over|above|more than|older than|greater than) ?{_NUMBER}", ">", None),
)  # fmt: skip
# The name of the column in a range: `18 <= age < 60`.
_VARIABLE = re.compile(r"(?<![\w.])[a-z_]\w*(?= ?[<>\u2264\u2265])|(?<=[<=]) ?[a-z_]\w*(?= ?<)")
_EACH = re.compile(
    r",?\s*\b(?:(?:for|in|within|of) each(?: of (?:the|these|them))?(?: (?:\w+ )?"
    r"(?:groups?|categor(?:y|ies)|bins?|ranges?|brackets?|one))?|(?:by|per|across(?: the| these)?) "
    r"(?:\w+ )?(?:groups?|categor(?:y|ies)|bins?|ranges?|brackets?))(?=\W*$)",
    re.IGNORECASE,
)
# The name of the column that is to hold the ranges.
_COLUMN = re.compile(
    rf"\bnew (?:column|feature|variable|field)(?: called| named|,)? {_Q}?(?P<name>[A-Za-z_]\w*)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class BinText:
    """A range with its name; an end without an operator is open."""

    name: str
    low: tuple[Operator, float] | None
    high: tuple[Operator, float] | None

    def test(self, field: Expression) -> Predicate:
        """That a field lies in the range."""
        ends = [
            Comparison(left=field, operator=each[0], right=Constant(value=each[1]))
            for each in (self.low, self.high)
            if each is not None
        ]
        found = conjunction(ends)
        assert found is not None  # a range has an end at least
        return found


@dataclass(frozen=True, slots=True)
class BinsText:
    """The ranges of the column that `of` names."""

    of: str
    bins: tuple[BinText, ...]

    def field(self, dataset: Dataset) -> FieldRef | None:
        """The one field of a dataset that the text names, in either number."""
        words = {each.rstrip("s") for each in spoken(self.of).split()}
        named = [
            each.name
            for each in dataset.fields
            if all(word.rstrip("s") in words for word in spoken(each.name).split())
        ]
        return FieldRef(dataset=dataset.name, field=named[0]) if len(named) == 1 else None


def read_bins(sentence: str) -> tuple[BinsText | None, str]:
    """The ranges that a sentence defines, and what it asks behind them."""
    found = list(_BIN.finditer(sentence))
    if len(found) < 2 or not _VERB.search(sentence[: found[0].start()]):
        return None, sentence
    bins = []
    for each in found:
        name = re.sub(r"^(?:and|or|as|in|into) ", "", each.group("name"))
        made = _range(name, each.group("range"))
        if made is None:
            return None, sentence
        bins.append(made)
    rest = re.sub(r"^\W*(?:and )?(?:then)?[\s,]*", "", sentence[found[-1].end() :])
    return BinsText(sentence[: found[0].start()], tuple(bins)), rest


def _range(name: str, text: str) -> BinText | None:
    plain = re.sub(r"\b(?:years?(?: old)?|aged?|ages|inclusive|exclusive)\b", " ", text.lower())
    plain = " ".join(_VARIABLE.sub("x", plain).split())
    for pattern, low, high in _RANGES:
        if match := re.fullmatch(pattern, plain):
            numbers = [float(each) for each in match.groups()]
            return BinText(
                name, (low, numbers[0]) if low else None, (high, numbers[-1]) if high else None
            )
    return None


def without_each(question: str, texts: tuple[BinsText, ...]) -> str:
    """A question without the words that say it is of each range; a new column may name these."""
    for text in texts:
        if named := _COLUMN.search(text.of):
            name = re.escape(named.group("name"))
            of_column = (
                rf",?\s*\b(?:(?:for|in|within|of) each|by|per|across) {_Q}?{name}{_Q}?(?=\W*$)"
            )
            question = re.sub(of_column, "", question, flags=re.IGNORECASE)
    return _EACH.sub("", question)


def binned(query: Query, text: BinsText, model: SemanticModel) -> Query | None:
    """The figures of a query in each range; None where they cannot be made so."""
    dataset = model.dataset(query.dataset)
    field = text.field(dataset) if dataset is not None else None
    plain = Query(dataset=query.dataset, metrics=query.metrics, where=query.where)
    aggregates = [each for each in query.metrics if isinstance(each, Aggregate)]
    if field is None or query != plain or len(aggregates) != len(query.metrics) or not aggregates:
        return None
    if any(each.where is not None or each.dataset for each in aggregates):
        return None
    metrics = tuple(
        each.model_copy(update={"where": one.test(field)})
        for one in text.bins
        for each in aggregates
    )
    return query.model_copy(update={"metrics": metrics})


def bin_of(figure: Aggregate, texts: tuple[BinsText, ...]) -> str:
    """The name of the range that a figure is of; empty where it is of none."""
    fields = [each for each in parts(figure.where) if isinstance(each, FieldRef)]
    for text in texts:
        for one in text.bins:
            if fields and one.test(fields[0]) == figure.where:
                return one.name
    return ""
