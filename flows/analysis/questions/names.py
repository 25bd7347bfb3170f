"""The names of fields and metrics as the words that people may say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from flows.analysis.language.vocabulary import UNITS
from flows.analysis.language.words import singular, split_identifier
from flows.analysis.questions.concepts import meanings_of
from flows.analysis.questions.parts import Operand
from flows.semantics.model import Dataset, SemanticModel
from flows.semantics.query import Arithmetic, FieldRef

GENERIC = UNITS | {
    *("id", "no", "nr", "key", "code", "name", "number", "value", "amount"),
    *("year", "month", "day", "week", "count", "date", "time", "at", "on", "by", "total"),
}
# Words that say no more of a figure than that it is one of pieces.
LIGHT = GENERIC | {"qty", "quantity"}
MONEY = frozenset(
    ["revenue", "sales", "turnover", "income", "proceeds", "takings", "money", "profit", "earnings"]
)
# Times at which what began is over.
_ENDS = frozenset(
    ["end", "ended", "finish", "finished", "closed", "back", "returned", "resolved", "completed"]
)
_LENGTHS = ("length", "duration")
_LENGTH = 0.06
# What is paid and not taken, or no sum that rows are worth.
_PAID = frozenset(
    ["cost", "expense", "fee", "tax", "vat", "discount", "price", "salary", "wage", "pay", "bonus",
     "refund", "penalty", "fine", "deposit", "shipping", "freight", "budget", "target", "plan",
     "limit", "balance", "damage", "loss", "repair", "rent", "debt", "capital", "value", "income"]
)  # fmt: skip
_TAKEN = ("revenue",)
# What a row is where the row is a sum of money.
_SUMS = frozenset(
    ["donation", "gift", "contribution", "pledge", "payment", "expense", "purchase", "fine", "fee",
     "bill", "invoice", "deposit", "withdrawal", "transfer", "refund", "sale", "grant", "bonus"]
)  # fmt: skip
_AMOUNT = 0.04
_MONEY = 0.08
_CURRENCIES = frozenset(["USD", "EUR", "GBP", "JPY", "CHF"])
_LEAVING = frozenset(["discharged", "discharge", "checkout", "checked", "departure", "departed"])

SUMS_OF_MONEY = frozenset(["revenue", "turnover", "income", "proceeds", "earnings"])
PEOPLE = frozenset(["person", "employee", "staff", "worker", "colleague", "folk", "member", "guy"])
CUSTOMERS = frozenset(["customer", "client", "buyer", "patron"])
PARTIES = frozenset(["account", "client", "customer", "subscriber", "buyer", "user", "member"])
STAFF = frozenset(["employee", "staff", "person", "worker", "member", "people"])
PERSONS = STAFF | {"customer", "student", "client", "patient", "player", "user"}


@dataclass(frozen=True, slots=True)
class Name:
    """The name of a field or a metric, as the words that people may say."""

    operand: Operand
    words: tuple[str, ...]
    cost: float
    dataset: str
    role: str
    whole: bool = False  # whether all its words have to be said


def durations_of(dataset: Dataset) -> Iterator[Name]:
    """The times from when a row begins to when something else of it happens: `resolution time`
    where a row has `created_at` and `resolved_at`."""
    if not dataset.time:
        return
    start = FieldRef(dataset=dataset.name, field=dataset.time)
    for field in dataset.fields:
        if (
            field.role != "time"
            or field.type not in ("date", "timestamp")
            or field.name == dataset.time
        ):
            continue
        end = start.model_copy(update={"field": field.name})
        length = Arithmetic(operator="-", left=end, right=start)
        event = next(
            (w for w in split_identifier(field.name) if w not in GENERIC and len(w) > 2), ""
        )
        if event in _ENDS:
            for word in _LENGTHS:
                yield Name(length, (word,), _LENGTH, dataset.name, "measure", whole=True)
        if event in _LEAVING:
            for words in (("length", "of", "stay"), ("stay",), ("length", "stay")):
                yield Name(length, words, 0.03, dataset.name, "measure", whole=True)
        if event:
            for words in ((event, "time"), ("time", "to", event), ("time", "until", event),
                          ("day", "to", event), (event, "duration")):  # fmt: skip
                yield Name(length, words, 0.03, dataset.name, "measure", whole=True)


def takings_of(model: SemanticModel) -> Iterator[Name]:
    """The one figure of money that rows bring in, where no name says that it is revenue: `Sold for`
    in dollars is what is meant by `sales`."""
    called = [
        *(each.name for dataset in model.datasets for each in dataset.fields),
        *(each.name for each in model.metrics),
    ]
    if any({"revenue", "sales"} & set(split_identifier(each)) for each in called):
        return
    found = [
        (dataset, field)
        for dataset in model.datasets
        for field in dataset.fields
        if field.role == "measure" and field.unit in _CURRENCIES
        and not _PAID & {singular(word) for word in split_identifier(field.name)}
    ]  # fmt: skip
    if len(found) == 1:
        ((dataset, field),) = found
        operand = FieldRef(dataset=dataset.name, field=field.name)
        yield Name(operand, _TAKEN, _MONEY, dataset.name, "measure")


def amounts_of(dataset: Dataset) -> Iterator[Name]:
    """The one figure of money of rows that are sums of money themselves: `total donations` is what
    was given, and not how many times."""
    called = [split_identifier(each) for each in (dataset.noun, *dataset.words, dataset.name)]
    nouns = {singular(words[-1]) for words in called if words} & _SUMS
    money = [
        each.name
        for each in dataset.fields
        if each.role == "measure" and each.unit in _CURRENCIES
    ]  # fmt: skip
    if not nouns or len(money) != 1:
        return
    operand = FieldRef(dataset=dataset.name, field=money[0])
    for noun in dict.fromkeys(
        (*sorted(nouns), *(w for n in sorted(nouns) for w in meanings_of(n)))
    ):
        yield Name(operand, (noun,), _AMOUNT, dataset.name, "measure", whole=True)


# Two words in names of columns, then the one that people say for them.
_WRITTEN_OUT = {"h": "hour", "hrs": "hour", "t": "tonne", "ha": "hectare", "mins": "minute"}
_RATES = {
    "hourly": "hour",
    "daily": "day",
    "weekly": "week",
    "monthly": "month",
    "nightly": "night",
}
_COINS = frozenset(
    ["ct", "cent", "cents", "eur", "euro", "euros", "usd", "dollar", "dollars", "gbp", "pence"]
)
_SAID = {("on", "hand"): "stock", ("in", "stock"): "stock", ("on", "stock"): "stock"}


def ways_of(
    name: str, others: Sequence[str], *, minutes: bool = False
) -> Iterator[tuple[tuple[str, ...], float]]:
    """The words that may be said for a name, with what they cost; with `minutes`, its `min` at the
    end is one of time."""
    seen: set[tuple[str, ...]] = set()
    for number, each in enumerate((name, *others)):
        words = split_identifier(each)
        if words and words not in seen:
            seen.add(words)
            # Several words that are said as they are written say no less than the name does.
            yield words, 0.0 if number == 0 or len(words) > 1 else 0.02
            if len(words) > 2 and words[0] in _COINS and words[1] == "per":
                # `ct per kWh` is what a kWh costs
                for number, price in enumerate(("price", "cost")):
                    yield (price, *words[2:]), 0.02 + 0.01 * number
                    yield (price,), 0.05 + 0.02 * number
            if words[-1] == "min" and minutes and len(words) > 1:
                yield (*words[:-1], "minute"), 0.0
            if words[-1] in _WRITTEN_OUT and len(words) > 1:  # `labour h`
                yield (*words[:-1], _WRITTEN_OUT[words[-1]]), 0.0
            if words[0] in _RATES and len(words) > 1:  # `hourly rate`
                for price in ("rate", "price", "charge", "cost"):
                    yield (price, "per", _RATES[words[0]]), 0.03
            for pair in pairwise(words):
                if pair in _SAID:
                    yield (_SAID[pair],), 0.04


def spells(name: str, words: Sequence[str]) -> bool:
    """Whether a name is made of the beginnings of these words, each of two letters or more."""
    rest = name
    for word in words:
        size = 0
        while size < min(len(rest), len(word)) and rest[size] == word[size]:
            size += 1
        if size < 2:
            return False
        rest = rest[size:]
    return rest == ""


def are_kin(one: str, other: str) -> bool:
    """Whether two words begin alike for most of the shorter: `resolution` and `resolved`."""
    shorter = min(len(one), len(other))
    same = next((n for n in range(shorter) if one[n] != other[n]), shorter)
    return same >= 5 and same * 5 >= shorter * 3
