"""What kind of value a question asks for, by its question word or a unit: words of keys."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from flows.analysis.language.words import singular

_PLACE: Final = "location city town address site country region warehouse"
_STATE: Final = "status state stage phase progress"
WORTH: Final = (
    "price total cost value amount fee rate balance wage salary charge tariff rent revenue sum pay "
    "bill estimate quote premium toll fare income worth"
)
_SPAN: Final = "duration lead time hours minutes days length weeks since"
_PERSON: Final = "name person customer owner contact manager author employee client user"
_DAY: Final = "date day due until deadline expiry expires valid"
# `how much` before a verb, or a noun that means money: `how much oil` asks for oil.
_VERBS: Final = (
    "is are was were do does did would will can could should must has have had may might am to"
)
_PRICE: Final = (
    rf"how much(?=\W*$|\W*[?,]| (?:{'|'.join([*_VERBS.split(), *WORTH.split()])}|money|business|for"
    r"|in|an?|the|we|it|that|of)\b)"
)
# What the question words ask for, as words of keys; the first that is found counts.
_WANTED: Final[tuple[tuple[str, str], ...]] = (
    (r"how far along|(?:which|what) (?:stage|state|status)|where do (?:we|you|they|i) stand",
     _STATE),
    (r"left|in stock|on (?:our |the )?(?:shelf|shelves)|remain(?:s|ing)?|on hand",
     "stock quantity available remaining left hand balance inventory"),
    (r"what (?:do|does|did|would|will) .*\b(?:cost|charge)|worth|comes? to|add up to|amounts? to"
     r"|(?:would|do|did|must) (?:we|i|you|they) pay", WORTH),
    (r"whose|whom|who", _PERSON),
    (r"what time", "time"),
    (r"(?:what|which) (?:day|date)|by when|until when|(?:date|day) (?:of|for)", _DAY),
    (r"since when|when|(?:what|which) year|the year of",
     "date day year time at on since created start built founded joined made due until "
     "expires deadline end"),
    (r"how old|how young", "age built year birth"),
    (r"where|(?:which|what) (?:town|place)", _PLACE),
    (r"how much (?:time|longer)", _SPAN), (_PRICE, WORTH),
    (r"how long|how quick(?:ly)?|how soon|how fast", _SPAN),
    (r"how far", "distance"), (r"how heavy", "weight mass"), (r"how tall", "height"),
    (r"how large|how big", "size area pieces quantity"), (r"how often", "frequency count"),
    (r"why", "reason cause"),
)  # fmt: skip
# Units of measure: other spellings of each, then the words of keys for what they measure.
_UNITS_TEXT: Final = """
    kilogram kilo kg kilogramme: kg kilogram kilo weight mass
    gram g: gram g weight mass
    milligram mg: mg milligram dose
    tonne ton: tonne ton weight mass load
    pound lb: lb pound weight
    second sec: second sec duration
    minute min: minute min duration
    hour hr: hour hr duration
    day: day duration
    week: week duration
    month: month duration
    year: year duration age
    kilometre kilometer km: km kilometre kilometer distance length
    mile: mile distance
    metre meter: metre meter length height depth width
    centimetre centimeter cm: cm centimetre centimeter length height width
    millimetre millimeter mm: mm millimetre millimeter
    hectare acre: hectare acre area
    sqm m2: sqm square area
    cbm m3: cbm cubic volume
    litre liter: litre liter volume
    euro eur dollar usd franc cent gbp: euro eur dollar usd price cost amount total value fee charge
    percent percentage: percent percentage share rate pct discount
    kwh mwh: kwh mwh energy consumption
    kilowatt kw megawatt mw watt: kw mw watt power capacity
    degree celsius: degree celsius temperature
    volt kv: volt voltage kv
    ampere amp: ampere amp current
    mva kva: mva kva rating capacity power
"""
_SQUARED: Final = re.compile(r"(sq|square|cubic)\.? ?(?:m|metres?|meters?)\b", re.IGNORECASE)
_UNIT: Final = re.compile(r"[^\W_][\w'\u2019&-]*")
_LETTERS: Final = {"A": "ampere", "V": "volt", "W": "kw", "m": "metre", "g": "gram", "l": "litre"}
MONEY: Final = "euro"  # what `measure_of` gives for each currency
_SYMBOLS: Final = {"%": "percent", "\u20ac": "euro", "$": "dollar"}
# Question words after which only a value of their own kind is an answer.
_STRICT: Final = re.compile(
    r"\b(?:(?:whose|who|whom|when|where|how far along|how long|worth|"
    rf"add up to|comes? to)\b|{_PRICE})"
)

# A question word behind a noun begins a clause on that noun, and asks for nothing: `the vet who`.
_RELATIVE: Final = re.compile(
    r"(?<=\w)(?<!\b(?:me|us|is|or|to|by|at|of|in|on))(?<!\b(?:and|for|say|was|are|ask|out))"
    r"(?<!\b(?:tell|know|from|with|show|list|find|were|give|then))(?<!\b(?:about|since|check))"
    r" (?:who|whom|where|when)(?= )"
)


def _units() -> dict[str, str]:
    found: dict[str, str] = {}
    for line in _UNITS_TEXT.strip().splitlines():
        units, _, keys = line.strip().partition(": ")
        found.update(dict.fromkeys(units.split(), keys))
    return found


_UNITS: Final = _units()
# Where a unit that is asked for stands: `how many hours`, `in euros` at the end, `hours without`.
_ASKED_UNITS: Final = tuple(
    re.compile(pattern)
    for pattern in (
        r"\b(?:how many|number of|how much) (?P<unit>[a-z]+|[%\u20ac$])(?!\w)",
        r"\bin (?:how many |what )?(?P<unit>[a-z]+)\W*$",
        r"^(?P<unit>[a-z]+)(?= (?:of|for|without|with|between|before|after|until)\b)",
    )
)


@dataclass(frozen=True, slots=True)
class AnswerHints:
    """The words of keys that a question asks for. `is_strict` tells whether no other kind of value
    is an answer, `unit` the unit of measure that it names, "" without one."""

    words: tuple[str, ...] = ()
    is_strict: bool = False
    unit: str = ""

    @property
    def is_money(self) -> bool:
        return self.is_strict and " ".join(self.words) == WORTH


def hints_of(low: str) -> AnswerHints:
    """The kind of value that a folded question asks for."""
    low = _RELATIVE.sub(" ", low)
    worded = next((words for start, words in _WANTED if re.search(rf"\b(?:{start})\b", low)), "")
    unit = _asked_unit(low)
    strict = bool(worded) and _STRICT.search(low) is not None
    if unit:
        own = _UNITS[unit].split()
        others = (each for each in worded.split() if each not in own)
        return AnswerHints((*own, *others), strict, unit)
    return AnswerHints(tuple(worded.split()), strict)


def measure_of(word: str) -> str:
    """What a unit measures, by the first of its spellings: `kg` of kilos; "" where a word is no
    unit. A single letter is one only in its own case: 5 A, 5 m."""
    if word in _LETTERS:
        return _LETTERS[word]
    low = singular(word.casefold())
    return _UNITS[low].split()[0] if low in _UNITS and len(low) > 1 else ""


def measure_at(text: str) -> str:
    """What the unit at the beginning of a text measures, "" without one: of `square metres`."""
    if (match := _SQUARED.match(text)) is not None:
        return "sqm" if match[1].casefold().startswith("sq") else "cbm"
    first = _UNIT.match(text)
    return measure_of(first.group()) if first is not None else ""


def unit_words(word: str) -> tuple[str, ...]:
    """The words of keys for what a unit measures; none where the word is no unit."""
    return tuple(_UNITS.get(singular(_SYMBOLS.get(word, word)), "").split())


def _asked_unit(low: str) -> str:
    """The unit that a folded question asks for: `how many hours`, `hours without food`, `the fee
    in euros`."""
    for pattern in _ASKED_UNITS:
        match = pattern.search(low)
        if match is not None:
            unit = singular(_SYMBOLS.get(match["unit"], match["unit"]))
            if unit in _UNITS:
                return unit
    return ""
