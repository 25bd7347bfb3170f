"""How well a value that a text mentions fits an argument of a function."""

from __future__ import annotations

import re
from typing import Any, Final

from flows.analysis.functions.forms import SLUG, capitals_fit, form_fit, is_lettered
from flows.analysis.functions.hints import MONEY, measure_at, measure_of, unit_words
from flows.analysis.functions.mentions import ValueMention, context_terms
from flows.analysis.functions.schema import FunctionArgument
from flows.analysis.functions.terms import related, term, term_set
from flows.analysis.language.places import COUNTRIES, WEEKDAYS

IDENTIFYING: Final = term_set(
    """id code key sku number reference ref ticket serial symbol ticker identifier uuid isin ean
    barcode account no docket token hash slug handle username"""
)
DATES: Final = term_set("date day dat since until deadline birthday")
PLACES: Final = term_set(
    """location city place country state region area address destination origin venue town zip
    province district site warehouse store street neighborhood where"""
)
_COUNTRY, _WEEKDAY = term_set("country nation"), term_set("weekday")
_NAMES: Final = term_set(
    """name person player artist author actor title company team brand user customer supplier
    vendor employee owner book movie song album game event school university museum model cast"""
)
STARTS: Final = term_set(
    """start from source origin begin departure minimum low since first lower after initial base"""
)
ENDS: Final = term_set(
    "end to target destination arrival until finish maximum high final dest upper before"
)
_AGENTS: Final = term_set("author artist composer creator writer director directed painter user by")
_FORMED: Final = 0.5
# What the unit of a number adds, and what a noun before a number takes away: line 12 is no length.
_MEASURED, _LABELLED = 0.5, 0.3
_WHOLE_NAME: Final = 0.2  # where all words of a name stand before the value: `unit cost 10`
_NAMED: Final = 0.3  # what a unit adds where the argument names what it measures
_SIGNS: Final = ("$", "\u20ac", "\u00a3", "\u00a5")
_OF_MONEY: Final = re.compile(
    "price|cost|amount|budget|money|dollar|usd|salary|principal|invest|value|fee|loan|income"
    "|revenue|payment|bill|wage|gross|net|deposit|sales|rent|saving|turnover|debt|tax"
)
_DAYS: Final = frozenset(["day", "month", "year", "week", "second"])  # of the calendar
_MONTHS: Final = term_set("month year week quarter day hour")
_FORMAT: Final = re.compile(r"YYYY|HH:MM|\bfrom \d+ to \d+|\d{4}-\d{2}")
WORDED: Final = term_set(
    """topic subject keyword query search text message content title purpose reason category kind
    type genre theme ingredient animal species plant sport game activity
    description note comment phrase word term skill interest condition disease symptom"""
)


def fit(mention: ValueMention, argument: FunctionArgument) -> float:
    """From 0 (it cannot be) to about 2 (it is certain). Above 0.5 a value may be used."""
    base = _kind_fit(mention, argument)
    if base <= 0.0:
        return 0.0
    if argument.pattern and not _matches(argument.pattern, str(mention.value)):
        return 0.0
    shaped, measured = _shape_fit(mention, argument), _measure_fit(mention, argument)
    if shaped is None or measured is None:
        return 0.0
    return base + shaped + measured + context_fit(mention, argument)


def _kind_fit(mention: ValueMention, argument: FunctionArgument) -> float:
    """Whether a mention of this kind can be of the argument's type, by itself."""
    kind, wanted = mention.kind, argument.value_type
    if kind == "list" or mention.kind == "list":
        return 0.5 if argument.is_list and list_value(mention, argument) is not None else 0.0
    if wanted in ("integer", "number", "float"):
        return _number_fit(mention, argument)
    return _text_fit(mention, argument) if wanted == "string" else 0.0


def _number_fit(mention: ValueMention, argument: FunctionArgument) -> float:
    """Whether a mention can be the value of a number."""
    kind, wanted = mention.kind, argument.value_type
    words = frozenset(argument.terms)
    if kind != "number":
        return 0.0
    yearly = "year" in words and not argument.name.casefold().endswith("years")
    if is_year(mention) != yearly and (yearly or words & DATES):
        return 0.0
    if mention.unit == "month":
        return 0.6 if "month" in words else 0.0
    if is_year(mention) and yearly:
        return 0.6
    whole = isinstance(mention.value, int) or wanted != "integer"
    if mention.text.isalpha():  # a number in words often only counts what is listed
        return 0.2 if whole else 0.0
    return (0.3 if mention.unit != "%" or wanted != "integer" else 0.2) if whole else 0.1


def _text_fit(mention: ValueMention, argument: FunctionArgument) -> float:
    """Whether a mention of this kind can be the value of a text."""
    kind, words = mention.kind, frozenset(argument.terms)
    named = bool(words & IDENTIFYING)
    dated = argument.format in ("date", "date-time") or bool(words & DATES)
    if dated:
        return (
            0.8
            if kind == "date"
            else 0.0
            if kind in ("code", "name", "email", "url", "number")
            else 0.05
        )
    if kind in ("month", "time", "date") or "time" in words:
        fitting = _time_fit(mention, argument)
        if fitting is not None:
            return fitting
    if "email" in words or argument.format == "email":
        return 0.9 if kind == "email" else 0.0
    if words & {"url", "uri", "link"} or argument.format in ("uri", "url"):
        return 0.9 if kind == "url" else 0.1
    if kind in ("email", "url"):
        return 0.2
    if kind == "code":
        form = form_fit(mention.text, argument.examples, varied=argument.is_varied)
        if named or (form or 0.0) > _FORMED:
            return 0.5
        called = mention.before[:1] in (("named",), ("called",))
        return 0.3 if called else 0.0 if words & _NAMES or words & PLACES else 0.25
    if kind == "number":
        return 0.25 if named else 0.05
    if kind == "quoted":
        return 0.5
    if kind == "name":
        return _name_fit(mention, argument)
    # A phrase: words of a question are its values only where an argument takes words.
    described = any(
        each.islower() and not re.search(r"\d", each) and not SLUG.match(each)
        for each in argument.examples
    )
    return 0.1 if words & WORDED or described else 0.0


def _time_fit(mention: ValueMention, argument: FunctionArgument) -> float | None:
    """Whether a month, a time or a day can be the value of a text; None where that says nothing."""
    kind, words = mention.kind, frozenset(argument.terms)
    if kind == "month":
        monthly = "month" in words or re.search(
            r"YYYY-MM(?!-)|\d{4}-\d{2}(?!-|\d)", argument.description
        )
        return 0.9 if monthly else 0.0
    if kind == "time":
        return 0.8 if "time" in words or argument.format == "time" else 0.0
    if "time" in words and kind in ("quoted", "code", "name"):
        return 0.05
    if kind == "date":
        return 0.1
    return None


def _name_fit(mention: ValueMention, argument: FunctionArgument) -> float:
    """Whether a proper name can be the value of a text."""
    words = frozenset(argument.terms)
    named = bool(words & IDENTIFYING)
    if _FORMAT.search(argument.description) or words & _MONTHS:
        return 0.0  # a date, a number in words
    if "number" in argument.described and not words & _NAMES:
        return 0.05
    if words & _COUNTRY:
        return 0.6 if mention.text.casefold() in COUNTRIES else 0.15
    if words & _WEEKDAY or any(each.casefold() in WEEKDAYS for each in argument.examples):
        return 0.6 if mention.text.casefold() in WEEKDAYS else 0.0
    if mention.text.casefold() in COUNTRIES and not words & PLACES:
        return 0.1
    if words & PLACES or words & _NAMES:
        return 0.5
    called = term("name")
    if named and called not in words:
        return 0.5 if mention.text.isupper() else 0.1
    return 0.5 if called in argument.described else 0.3


def is_year(mention: ValueMention) -> bool:
    """Whether a number looks like a year: four figures without a unit."""
    value = mention.value
    return (
        mention.kind == "number" and not mention.unit and isinstance(value, int)
        and 1000 <= value <= 2200 and len(mention.text) == 4
    )  # fmt: skip


def _shape_fit(mention: ValueMention, argument: FunctionArgument) -> float | None:
    """What the examples of an argument say about a value: their form, or the very word. None for an
    identifier of another kind: an argument like `C-100` does not take `OR-5003`."""
    examples = argument.examples
    if not examples:
        return 0.0
    if mention.kind == "number":
        lettered = all(map(is_lettered, examples))
        return None if lettered and argument.value_type == "string" else 0.0
    text = str(mention.value)
    if (short := capitals_fit(text, examples)) is not None:
        return short or None
    if any(each.casefold() == text.casefold() for each in examples):
        return 0.6
    if mention.kind == "code":
        return form_fit(text, examples, varied=argument.is_varied)
    shaped = [each for each in examples if re.search(r"\d", each) or SLUG.match(each)]
    if not shaped:
        return 0.0
    # Words are no identifier where all examples have figures.
    named = len(shaped) == len(examples) and set(argument.terms) & IDENTIFYING
    keyed = named or all(map(is_lettered, examples))
    return None if keyed and not re.search(r"\d", text) else 0.0


def context_fit(mention: ValueMention, argument: FunctionArgument) -> float:
    """What the words around a mention say: they name the argument, or stand before its kind."""
    before, after = context_terms(mention.before), context_terms(mention.after)
    # What stands behind `which` is asked for, and does not say what the value is.
    asked = (*mention.before[1:], "")
    before = tuple(
        "" if word in ("which", "what", "whose") else each
        for each, word in zip(before, asked, strict=False)
    )
    names, described = argument.terms, argument.described
    best = 0.0
    if mention.kind == "phrase":  # words beside the argument's name; not all words near it
        before, after = _beside(mention, before), ()
    for place, each in enumerate(before[:4]):
        if each and any(related(each, name) for name in names):
            best = max(best, 0.5 - 0.08 * place)
        elif each and any(related(each, word) for word in described):
            best = max(best, 0.2 - 0.03 * place)
    for place, each in enumerate(after[:3]):
        if each and any(related(each, name) for name in names):
            best = max(best, 0.45 - 0.1 * place)
        elif each and any(related(each, word) for word in described):
            best = max(best, 0.25 - 0.06 * place)
    if len(names) > 1 and set(names) <= set(before[: len(names) + 1]):
        best += _WHOLE_NAME
    return best + _role_fit(mention, argument) + _unit_fit(mention, argument)


def _beside(mention: ValueMention, before: tuple[str, ...]) -> tuple[str, ...]:
    """The nearest word with content that names what a phrase is: `topic of`, `called`."""
    linking = ("of", "is", "as", "by", "to", "named", "called", "the", "a", "for", "with")
    place = next((n for n, each in enumerate(mention.before) if each not in linking), None)
    return () if place is None or place > 2 else before[place : place + 1]


def _role_fit(mention: ValueMention, argument: FunctionArgument) -> float:
    """What the preposition before a mention says about the side of it."""
    last = mention.before[:1]
    words = frozenset(argument.terms)
    start, end = bool(words & STARTS), bool(words & ENDS)
    if last in (("from",), ("between",), ("since",), ("after",)):
        return 0.35 if start else -0.25 if end else 0.05
    if last in (("in",), ("into",)) and (start or end):
        return 0.2 if end else -0.1
    if last in (("to",), ("until",), ("till",), ("before",)):
        return 0.35 if end else -0.25 if start else 0.05
    if last == ("and",) and "between" in mention.before[:5]:
        return 0.3 if end else -0.1 if start else 0.0
    if last in (("in",), ("at",), ("near",), ("around",)):
        return 0.25 if words & PLACES else 0.0
    if last in (("named",), ("called",), ("titled",)):
        return 0.25
    if last == ("by",):
        return 0.3 if words & _AGENTS else 0.0
    if last in (("for",), ("of",)):
        return 0.1
    return 0.0


def _measure_fit(mention: ValueMention, argument: FunctionArgument) -> float | None:
    """What the unit behind a number says; None where the argument wants another one. A number
    without a unit behind a noun is the number of a thing, and no quantity."""
    if mention.kind != "number":
        return 0.0
    wanted = _measure(argument)
    if mention.measure:
        if wanted:
            return _MEASURED if mention.measure == wanted else None
        named = set(argument.terms) & IDENTIFYING or "number" in argument.described
        return None if named else 0.0
    label = context_terms(mention.before[:1])
    labelled = bool(label and label[0]) and not any(related(label[0], e) for e in argument.terms)
    return -_LABELLED if wanted and labelled else 0.0


def _measure(argument: FunctionArgument) -> str:
    """The unit of measure of an argument: that of its name, else of its description."""
    parts = [measure_of(each) for each in re.split(r"[\W_]+", argument.name) if each not in _DAYS]
    said = re.search(r"\bin ([^\W\d_]+(?: [^\W\d_]+)?)", argument.description)
    described = measure_at(argument.description) or (measure_at(said[1]) if said else "")
    return next(filter(None, parts), described)


def _unit_fit(mention: ValueMention, argument: FunctionArgument) -> float:
    """What a sign or a unit of money, or another unit of measure, says of an argument that names
    no unit itself."""
    if mention.kind != "number" or not (mention.unit or mention.measure):
        return 0.0
    said = f"{argument.name} {argument.description}".casefold()
    if mention.unit == "%":
        return 0.35 if re.search(r"percent|rate|ratio|%|share|probabilit|discount", said) else -0.1
    if mention.unit in _SIGNS or mention.measure == MONEY:
        return 0.35 if _OF_MONEY.search(said) else -0.1 if mention.unit else 0.0
    if not mention.measure or _measure(argument):
        return 0.0 if mention.measure else -0.1
    names = {term(each) for each in unit_words(mention.measure)}
    return _NAMED if names & {*argument.terms, *argument.described} else 0.0


def _matches(pattern: str, text: str) -> bool:
    try:
        return re.search(pattern, text) is not None
    except re.error:  # another dialect's expression says nothing
        return True


def list_value(mention: ValueMention, argument: FunctionArgument) -> list[Any] | None:
    """A list in brackets in the argument's type; None where an item does not fit it."""
    inner = [each.strip(" '\"") for each in mention.text.strip("[]").split(",")]
    if argument.value_type == "string":
        return inner
    try:
        numbers = [float(each) for each in inner]
    except ValueError:
        return None
    if argument.value_type == "integer":
        return [int(each) for each in numbers]
    return list(numbers)


def as_value(mention: ValueMention, argument: FunctionArgument) -> Any:
    """The value of a mention in the argument's type."""
    wanted, value = argument.value_type, mention.value
    if wanted in ("integer", "number", "float"):
        if mention.unit == "%" and _is_fraction(argument):
            return round(float(value) / 100.0, 12)
        return int(value) if wanted == "integer" or isinstance(value, int) else value
    return mention.text if mention.kind == "number" else value


def _is_fraction(argument: FunctionArgument) -> bool:
    """Whether a share is given as 0.05, not as 5: where the description says so, and for a rate
    that speaks of no percent."""
    said = argument.description.casefold()
    if re.search(r"decimal|fraction|between 0 and 1|0 to 1|0-1", said):
        return True
    rate = {"rate", "return"} & set(re.findall("[a-z]+", argument.name.casefold()))
    whole = "percent" in said or "%" in said or "percent" in argument.name.casefold()
    return bool(rate) and not whole and argument.value_type == "number"
