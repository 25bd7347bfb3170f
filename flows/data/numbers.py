"""Numbers as people write them in prose: found, and read with the precision they are written at."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

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
_UNITS = "km|kg|cm|mm|ms|min|kWh|kW|MW|GW|GB|MB|TB|kB|ha|pp|x|s|h|g|l|t|W|°C|°F|°"
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
     (?P<power>[eE][+-]?\d+)?
     (?P<percent>[ {_SPACES}]?%|[ ](?:percent|per[ ]cent)\b)?
     (?P<scale>[ {_SPACES}]?(?:thousand|millions?|billions?|trillions?|mio|mn|bn|tn)\b
        |[kKmMbB]\b(?!²|³))?
     (?P<unit>(?:{_UNITS})(?![\w]))?
    """,
    re.VERBOSE,
)
_NOT_PROSE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`|\bhttps?://\S+", re.DOTALL)
_LIST_NUMBER = re.compile(r"^[ \t>*#]*\(?\d{1,3}[.)](?=\s)", re.MULTILINE)
_ABOUT = re.compile(
    r"(?:\babout|\baround|\broughly|\bapproximately|\bapprox\.|\bnearly|\balmost|\bover"
    r"|\bmore than|\bless than|\bunder|\bsome|~|≈)\s*[$€£]?$",
    re.IGNORECASE,
)
_WORD_TEXT = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen twenty"
)
WORDS = {word: number for number, word in enumerate(_WORD_TEXT.split())}


@dataclass(frozen=True, slots=True)
class Reading:
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
    is `date` or `clock` for those, which have no readings.
    """

    text: str
    start: int
    end: int
    kind: str
    readings: tuple[Reading, ...] = ()
    percent: bool = False
    scaled: float = 1.0

    @property
    def is_integer(self) -> bool:
        return bool(self.readings) and self.readings[0].step == 1 and self.scaled == 1


def find_numbers(text: str) -> Iterator[WrittenNumber]:
    """Every number of a text, but not in code, addresses, identifiers and list numbering."""
    hidden = [match.span() for match in _NOT_PROSE.finditer(text)]
    hidden += [match.span() for match in _LIST_NUMBER.finditer(text)]
    position = 0
    while match := _TOKEN.search(text, position):
        position = match.end()
        if any(start <= match.start() < end for start, end in hidden):
            continue
        if not _stands_alone(text, match.start(), match.end()):
            position = _end_of_word(text, match.end())
            continue
        yield _read(text, match)


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether the digits are a number and not a part of a name such as `Q3` or `v1.2.3`."""
    before, after = text[:start], text[end:]
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
            return WrittenNumber(match[0], start, end, kind)
    negative = re.search(r"(?:^|[\s(\[|*:=])[-\u2212\u2012][$€£]?$", text[:start])
    if negative:
        start = negative.end() - len(negative[0].lstrip(" \t\n([|*:="))
    if match["unit"]:
        end = match.start("unit")
    about = bool(_ABOUT.search(text[: match.start()]))
    scale = _SCALES[match["scale"].strip(f" {_SPACES}").lower()] if match["scale"] else 0
    power = int(match["power"][1:]) if match["power"] else 0
    sign = -1.0 if negative else 1.0
    readings = tuple(
        _reading(digits, scale + power, sign, about) for digits in _spellings(match["digits"])
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


def _reading(digits: str, power: int, sign: float, about: bool) -> Reading:
    number = Decimal(digits).scaleb(max(-300, min(power, 300)))
    exponent = number.as_tuple().exponent
    places = exponent if isinstance(exponent, int) else 0
    if about and "." not in digits:
        places += len(digits) - len(digits.rstrip("0")) if digits.strip("0") else 0
    return Reading(sign * float(number), 10.0**places)


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
