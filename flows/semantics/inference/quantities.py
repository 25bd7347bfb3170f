"""What may be summed up, by the names and units of figures."""

from __future__ import annotations

from typing import Literal

from flows.data.tables import Column
from flows.semantics.inference.nouns import singular
from flows.semantics.inference.words import meanings_of, stems_of, words_of
from flows.semantics.model import Direction

Additive = Literal["all", "not over time", "none"]

# Figures that are a proportion, a level or a price: the sum of two of them means nothing.
_LEVELS_TEXT = """
    price rate ratio percent percentage pct share proportion fraction temperature temp age score
    rating rank ranking position percentile quantile grade gpa index average avg mean median
    mode std stdev deviation variance min minimum max maximum per percap capita density speed
    velocity acceleration pressure humidity ph bmi latitude longitude elevation altitude angle
    frequency voltage brightness probability likelihood confidence accuracy precision recall
    correlation coefficient factor multiplier utilization utilisation expectancy lifeexp
    satisfaction csat nps stars level churn efficiency concentration tenure height width depth
    carat wavelength threshold priority severity preis alter quote anteil note kurs temperatur
    satz msrp ctr cpc cpm cpa roi roas apr apy odds alt tz timezone offset unit rpm sensor
"""
# What is there at one moment: of several moments nobody takes the sum.
_STOCKS_TEXT = """
    balance stock inventory population pop headcount outstanding backlog holdings subscribers
    followers onhand reserves debt mrr saldo bestand einwohner members enrolment enrollment
    employees residents
"""
_QUANTITIES_TEXT = """
    amount cost revenue sale sales salary budget value count number quantity weight volume total
    sum visits population duration distance size length bonus profit income expense
    expenses spend payment balance delay score price rating rate grade mark measurement reading
    forecast plan target temperature wage fee tax stock budget donation goal point
"""
# What people add up where they do not say whether they want the sum or the average.
_ADDED = frozenset(
    ("total", "amount", "revenue", "sale", "cost", "quantity", "income", "profit", "sum")
)
_GOOD = frozenset(
    ("revenue", "sales", "profit", "income", "margin", "earnings", "turnover", "satisfaction",
     "csat", "nps", "rating", "conversions", "umsatz", "gewinn", "retention", "yield", "mrr")
)  # fmt: skip
_BAD = frozenset(
    ("cost", "costs", "expense", "expenses", "delay", "churn", "errors", "defects", "complaints",
     "loss", "losses", "downtime", "latency", "kosten", "waste", "accidents", "fatalities")
)  # fmt: skip
_PROPORTIONS = frozenset(
    ("rate", "ratio", "percent", "percentage", "pct", "share", "margin", "average", "avg", "mean",
     "per", "utilization", "utilisation", "yield", "ctr", "cpc", "cpa", "roi", "roas", "anteil",
     "quote")
)  # fmt: skip
_DIFFERENCES = frozenset(
    ("difference", "diff", "delta", "change", "variance", "net", "profit", "gap", "remaining",
     "gain", "deficit", "surplus", "gewinn", "differenz", "outstanding", "loss")
)  # fmt: skip
_LEVELS, _STOCKS, _QUANTITIES = (
    frozenset(text.split()) for text in (_LEVELS_TEXT, _STOCKS_TEXT, _QUANTITIES_TEXT)
)
_LEVEL_UNITS = frozenset(("%", "°C", "°F", "K", "bp", "Hz", "hPa", "kPa", "psi", "dB", "ppm"))


def additive_of(name: str, unit: str, low: object, high: object, *, whole: bool) -> Additive:
    """Whether figures of this name and unit, from `low` to `high`, can be summed up."""
    words = meanings_of(name)
    joined = "".join(words_of(name))
    if unit in _LEVEL_UNITS or "/" in unit or _is_part(low, high, whole=whole):
        return "none"
    if words & _LEVELS or joined in _LEVELS:
        return "none"
    return "not over time" if words & _STOCKS or joined in _STOCKS else "all"


def adds_up(column: Column) -> bool:
    """Whether one number of several rows is their sum where nobody says: as a model declares it,
    else as the name of the column tells it."""
    if column.additive is not None:
        return column.additive
    named = (*stems_of(column.name), *meanings_of(column.name))
    return not _ADDED.isdisjoint(map(singular, named))


def is_difference(name: str) -> bool:
    """Whether figures are called what is left of one after taking another away."""
    return bool(_DIFFERENCES.intersection(meanings_of(name)))


def is_proportion(name: str, unit: str) -> bool:
    """Whether figures are called the ratio of two others: a rate, a margin, an average."""
    return unit == "%" or bool(_PROPORTIONS.intersection(meanings_of(name)))


def is_quantity(name: str) -> bool:
    """Whether a name is that of an amount, and not of a thing."""
    return bool(_QUANTITIES.intersection(meanings_of(name)))


def better_of(name: str) -> Direction:
    """Which way is good, where a name tells it."""
    words = meanings_of(name)
    return "up" if words & _GOOD else "down" if words & _BAD else ""


def _is_part(low: object, high: object, *, whole: bool) -> bool:
    """Whether all figures lie between nought and one, and some of them between."""
    numbers = isinstance(low, (int, float)) and isinstance(high, (int, float))
    return numbers and not whole and low >= 0 and high <= 1  # type: ignore[operator]
