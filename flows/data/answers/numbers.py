"""Numbers as people write them in prose: found, and read with the precision they are written at."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from flows.data.answers.prose_dates import find_dates

_SCALES = {
    "k": 3,
    "thousand": 3,
    "m": 6,
    "mn": 6,
    "mio": 6,
    "million": 6,
    "millions": 6,
    "b": 9,
    "bn": 9,
    "billion": 9,
    "billions": 9,
    "tn": 12,
    "trillion": 12,
    "trillions": 12,
}
_UNITS = (
    "km²|km|kg|cm|mm|m²|m³|ms|min|kWh|MWh|kW|MW|GW|GB|MB|TB|kB|GHz|MHz|Hz|mph|ha|pp|bps|pts|mi|ft|lb|oz"
    "|x|s|h|g|l|t|W|V|€|£|¥|°C|°F|°"
)
_CURRENCIES = "$€£¥₹"
_SPACES = "\u00a0\u202f\u2009"
_TOKEN = re.compile(
    rf"""
    (?P<date>\d{{4}}-\d{{2}}-\d{{2}}(?:[T ]\d{{2}}:\d{{2}}(?::\d{{2}}(?:\.\d+)?)?)?)
    |(?P<clock>\d{{1,2}}:\d{{2}}(?::\d{{2}})?)
    |(?P<digits>
        \d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?
        |\d{{1,3}}(?:[{_SPACES}']\d{{3}})+(?:[.,]\d+)?
        |\d{{1,3}}(?:\.\d{{3}}){{2,}}(?:,\d+)?
        |\d+[.,]\d+ | \d+ | \.\d+
     )
     (?P<power>[eE][+-]?\d{{1,4}})?
     (?P<percent>[ {_SPACES}]?%|[ ](?:percent|per[ ]cent)\b)?
     (?P<scale>[ {_SPACES}]?(?:thousand|millions?|billions?|trillions?|mio|mn|bn|tn)\b
        |[kKmMbB]\b(?!²|³))?
     (?P<unit>(?:{_UNITS})(?![\w]))?
    """,
    re.VERBOSE,
)
_NOT_PROSE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`|\bhttps?://\S+", re.DOTALL)
_LIST_NUMBER = re.compile(r"^[ \t>*#]*\(?\d{1,3}[.)](?=\s)", re.MULTILINE)
_NEGATIVE = re.compile(rf"(?:^|[\s(\[|*:=])(?:[-\u2212\u2012]|(?<=\s)\u2013)[{_CURRENCIES}]?$")
_ABOUT = re.compile(
    r"(?:\babout|\baround|\broughly|\bapproximately|\bapprox\.|\bnearly|\balmost|\bover"
    r"|\bmore than|\bless than|\bunder|\bsome|~|≈)\s*[$€£¥₹]?$",
    re.IGNORECASE,
)
_PLAIN = re.compile(r"[+-]?\d{1,40}(?:\.\d{1,40})?(?:[eE][+-]?\d{1,2})?", re.ASCII)
# How far around a number the text says how it is meant, and the digits of the longest that is read.
_AROUND = 64
_DIGITS = 60


@dataclass(frozen=True, slots=True)
class NumberReading:
    """One way to read a number: its value, and the unit of the last digit that is written."""

    value: float
    step: float

    def fits(self, number: float) -> bool:
        """Whether `number`, rounded as this one is, is this one."""
        room = self.step / 2 + 1e-9 * max(abs(self.value), abs(number))
        return abs(number - self.value) <= room


@dataclass(frozen=True, slots=True)
class WrittenNumber:
    """A number of a text. `start` and `end` are offsets; `readings` are the likeliest first.

    `scaled` is by how much a word like "million" multiplied the readings (1 without one); `kind`
    is `date` or `clock` for those, which have no readings. `forms` are the ISO texts that a date
    can stand for.
    """

    text: str
    start: int
    end: int
    kind: str
    readings: tuple[NumberReading, ...] = ()
    percent: bool = False
    scaled: float = 1.0
    forms: tuple[str, ...] = ()

    @property
    def is_integer(self) -> bool:
        return bool(self.readings) and self.readings[0].step == 1 and self.scaled == 1


def plain_number(text: str) -> int | float | None:
    """The number that a text is, as data writes it: digits, a point, no thousands; else None."""
    if not _PLAIN.fullmatch(text.strip()):
        return None
    try:
        return int(text)
    except ValueError:
        return float(text)


def find_numbers(text: str) -> Iterator[WrittenNumber]:
    """Every number of a text, but not in code, addresses, identifiers and list numbering.

    A date is one number, also when its month is a name.
    """
    dates = [
        WrittenNumber(text[each.start : each.end], each.start, each.end, "date", forms=each.forms)
        for each in find_dates(text)
    ]
    numbers = _plain_numbers(text, _hidden(text, [(each.start, each.end) for each in dates]))
    yield from sorted([*dates, *numbers], key=lambda each: each.start)


def _hidden(text: str, dates: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The places of a text in which a number is none, in their order."""
    found = [match.span() for each in (_NOT_PROSE, _LIST_NUMBER) for match in each.finditer(text)]
    return sorted([*found, *dates])


def _plain_numbers(text: str, hidden: Sequence[tuple[int, int]]) -> Iterator[WrittenNumber]:
    position = place = 0
    while match := _TOKEN.search(text, position):
        while place < len(hidden) and hidden[place][1] <= match.start():
            place += 1
        position = match.end()
        if place < len(hidden) and hidden[place][0] <= match.start():
            position = max(hidden[place][1], match.start() + 1)
        elif _stands_alone(text, match.start(), match.end()):
            yield _read(text, match)
        else:
            position = _end_of_word(text, match.end())


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether the digits are a number and not a part of a name such as `Q3` or `v1.2.3`."""
    before, after = text[max(0, start - _AROUND) : start], text[end : end + 8]
    if re.search(r"[^\W_]_*$", before) and not re.search(r"(?:^|[^\w])_+$", before):
        return False
    if re.search(r"[^\W\d_][-/.]$|\d\.$", before):
        return False
    return re.match(r"[^\W_]|_+[^\W_]|\.\d|-[^\W\d_]", after) is None


def _end_of_word(text: str, position: int) -> int:
    found = re.compile(r"[\w.]*").match(text, position)
    return found.end() if found else position


def _read(text: str, match: re.Match[str]) -> WrittenNumber:
    start, end = match.start(), match.end()
    for kind in ("date", "clock"):
        if match[kind]:
            forms = (match[0].replace("T", " "),) if kind == "date" else ()
            return WrittenNumber(match[0], start, end, kind, forms=forms)
    before = text[max(0, start - _AROUND) : start]
    negative = _NEGATIVE.search(before)
    if negative:
        start -= len(negative[0].lstrip(" \t\n([|*:="))
    if match["unit"]:
        end = match.start("unit")
    about = bool(_ABOUT.search(before))
    scale = _SCALES[match["scale"].strip(f" {_SPACES}").lower()] if match["scale"] else 0
    power = int(match["power"][1:]) if match["power"] else 0
    sign = -1.0 if negative else 1.0
    digits = match["digits"] if len(match["digits"]) <= _DIGITS else ""
    readings = tuple(
        _reading(each, scale + power, sign, about) for each in _spellings(digits) if each
    )
    return WrittenNumber(
        text=text[start:end],
        start=start,
        end=end,
        kind="number",
        readings=readings,
        percent=bool(match["percent"]),
        scaled=float(10**scale),
    )


def _reading(digits: str, power: int, sign: float, about: bool) -> NumberReading:
    number = Decimal(digits).scaleb(max(-200, min(power, 200)))
    exponent = number.as_tuple().exponent
    places = exponent if isinstance(exponent, int) else 0
    if about and "." not in digits:
        places += len(digits) - len(digits.rstrip("0")) if digits.strip("0") else 0
    return NumberReading(sign * float(number), 10.0**places)


def _spellings(written: str) -> list[str]:
    """The digits as Python reads them; `1.234` and `1,5` can be meant in two ways."""
    plain = re.sub(rf"[{_SPACES}']", "", written)
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", plain):
        readings = [plain.replace(",", "")]
        if plain.count(",") == 1 and "." not in plain:
            readings.append(plain.replace(",", "."))
        return readings
    if re.fullmatch(r"\d{1,3}(?:\.\d{3}){2,}(?:,\d+)?", plain):
        return [plain.replace(".", "").replace(",", ".")]
    if "," in plain:
        return [plain.replace(",", ".")]
    if re.fullmatch(r"[1-9]\d{0,2}\.\d{3}", plain):
        return [plain, plain.replace(".", "")]
    return [plain]
