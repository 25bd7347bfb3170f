"""The unit of a column, where its name tells it: `weight_kg`, `Price (USD)`, `duration_ms`."""

from __future__ import annotations

import re

from flows.data.tables import ColumnType

_NUMERIC: tuple[ColumnType, ...] = ("integer", "real", "text")
# Words that mean a unit wherever they end a name; the unit as it is written.
_ENDINGS: dict[str, str] = {
    **dict.fromkeys(("kg", "kgs", "kilogram", "kilograms"), "kg"),
    **dict.fromkeys(("gram", "grams"), "g"),
    **dict.fromkeys(("mg", "milligram", "milligrams"), "mg"),
    **dict.fromkeys(("lb", "lbs", "pound", "pounds"), "lb"),
    **dict.fromkeys(("oz", "ounce", "ounces"), "oz"),
    **dict.fromkeys(("ton", "tons", "tonnes"), "t"),
    **dict.fromkeys(("km", "kilometer", "kilometers", "kilometre", "kilometres"), "km"),
    **dict.fromkeys(("meter", "meters", "metre", "metres"), "m"),
    **dict.fromkeys(("cm", "centimeters", "centimetres"), "cm"),
    **dict.fromkeys(("mm", "millimeters", "millimetres"), "mm"),
    **dict.fromkeys(("mile", "miles"), "mi"),
    **dict.fromkeys(("ft", "feet"), "ft"),
    **dict.fromkeys(("inch", "inches"), "in"),
    **dict.fromkeys(("km2", "sqkm"), "km²"),
    **dict.fromkeys(("m2", "sqm"), "m²"),
    **dict.fromkeys(("sqft", "ft2"), "ft²"),
    **dict.fromkeys(("m3",), "m³"),
    **dict.fromkeys(("hectare", "hectares"), "ha"),
    **dict.fromkeys(("acre", "acres"), "acre"),
    **dict.fromkeys(("liter", "liters", "litre", "litres"), "l"),
    **dict.fromkeys(("ml", "milliliters", "millilitres"), "ml"),
    **dict.fromkeys(("gallon", "gallons"), "gal"),
    **dict.fromkeys(("ms", "msec", "millis", "milliseconds"), "ms"),
    **dict.fromkeys(("us", "usec", "micros", "microseconds"), "µs"),
    **dict.fromkeys(("ns", "nanoseconds"), "ns"),
    **dict.fromkeys(("sec", "secs", "second", "seconds"), "s"),
    **dict.fromkeys(("mins", "minutes"), "min"),
    **dict.fromkeys(("hrs", "hours"), "h"),
    **dict.fromkeys(("days",), "d"),
    **dict.fromkeys(("weeks",), "weeks"),
    **dict.fromkeys(("months",), "months"),
    **dict.fromkeys(("celsius", "degc"), "°C"),
    **dict.fromkeys(("fahrenheit", "degf"), "°F"),
    **dict.fromkeys(("kelvin",), "K"),
    **dict.fromkeys(("pct", "percent", "percentage", "perc"), "%"),
    **dict.fromkeys(("bps",), "bp"),
    **dict.fromkeys(("usd", "dollar", "dollars"), "USD"),
    **dict.fromkeys(("eur", "euro", "euros"), "EUR"),
    **dict.fromkeys(("gbp",), "GBP"),
    **dict.fromkeys(("jpy", "yen"), "JPY"),
    **dict.fromkeys(("chf", "cny", "inr", "cad", "aud", "brl", "sek", "nok", "dkk", "pln"), ""),
    **dict.fromkeys(("kwh",), "kWh"),
    **dict.fromkeys(("mwh",), "MWh"),
    **dict.fromkeys(("kw",), "kW"),
    **dict.fromkeys(("mw",), "MW"),
    **dict.fromkeys(("watt", "watts"), "W"),
    **dict.fromkeys(("volt", "volts"), "V"),
    **dict.fromkeys(("amps",), "A"),
    **dict.fromkeys(("hz",), "Hz"),
    **dict.fromkeys(("khz",), "kHz"),
    **dict.fromkeys(("mhz",), "MHz"),
    **dict.fromkeys(("ghz",), "GHz"),
    **dict.fromkeys(("hpa",), "hPa"),
    **dict.fromkeys(("kpa",), "kPa"),
    **dict.fromkeys(("psi",), "psi"),
    **dict.fromkeys(("kmh", "kph"), "km/h"),
    **dict.fromkeys(("mph",), "mi/h"),
    **dict.fromkeys(("mpg",), "mi/gal"),
    **dict.fromkeys(("bytes",), "B"),
    **dict.fromkeys(("kb",), "kB"),
    **dict.fromkeys(("mb",), "MB"),
    **dict.fromkeys(("gb",), "GB"),
    **dict.fromkeys(("kcal",), "kcal"),
    **dict.fromkeys(("db",), "dB"),
    **dict.fromkeys(("ppm",), "ppm"),
}
# Letters that are a unit only after a word that names what is measured in it.
_AFTER: dict[tuple[str, ...], dict[str, str]] = {
    ("temp", "temperature"): {"c": "°C", "f": "°F", "k": "K"},
    ("weight", "mass", "body_mass"): {"g": "g", "t": "t"},
    ("length", "height", "depth", "width", "distance", "altitude", "elevation"): {
        "m": "m",
        "in": "in",
        "mi": "mi",
    },
    ("duration", "time", "elapsed", "latency", "timeout", "runtime", "delay", "age"): {
        "s": "s",
        "min": "min",
        "m": "min",
        "h": "h",
        "hr": "h",
        "d": "d",
        "days": "d",
    },
    ("power",): {"w": "W"},
    ("volume", "capacity"): {"l": "l"},
    ("area",): {"ha": "ha"},
    ("speed", "velocity"): {"ms": "m/s"},
}
_SHARE_NAMES = re.compile(r"(?:^|_)(?:pct|percent|percentage)_", re.ASCII)
_BRACKETS = re.compile(r"[(\[]\s*([^()\[\]]{1,15}?)\s*[)\]]\s*$")
_SIGNS = {"$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "%": "%", "°C": "°C", "°F": "°F"}
_SYMBOLS = frozenset({*_ENDINGS.values(), "m", "g", "s", "min", "h", "l", "W", "V", "m/s", "°"})
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_WORD = re.compile(r"[^\W_]+")


def unit_of(name: str, kind: ColumnType) -> str:
    """The unit that a column's name tells, "" when it tells none or the column holds no amounts."""
    if kind not in _NUMERIC:
        return ""
    bracketed = _BRACKETS.search(name)
    if bracketed is not None:
        return _written(bracketed[1])
    sign = next((unit for mark, unit in _SIGNS.items() if name.strip().endswith(mark)), "")
    if sign or kind == "text":
        return sign
    words = [each.casefold() for each in _WORD.findall(_HUMP.sub("_", name))]
    if not words:
        return ""
    if len(words) == 1:
        return "%" if words[0] in ("pct", "percent", "percentage") else ""
    return _last(words) or ("%" if _SHARE_NAMES.search("_".join(words)) else "")


def _last(words: list[str]) -> str:
    *before, last = words
    for measured, units in _AFTER.items():
        if last in units and any(word in measured for word in before):
            return units[last]
    if last in _ENDINGS:
        return _ENDINGS[last] or last.upper()
    per = len(words) > 2 and words[-2] == "per" and words[-3] in _ENDINGS
    return f"{_ENDINGS[words[-3]]}/{last}" if per and _ENDINGS[words[-3]] else ""


def _written(text: str) -> str:
    """What stands in brackets, if it is a unit."""
    if text in _SYMBOLS or text in _SIGNS:
        return _SIGNS.get(text, text)
    word = text.casefold()
    if word in _ENDINGS:
        return _ENDINGS[word] or text.upper()
    parts = re.split(r"\s*(?:/|per)\s*", text)
    is_rate = len(parts) == 2 and all(parts) and (_written(parts[0]) or parts[0] == "$")
    return f"{_written(parts[0])}/{parts[1]}" if is_rate else ""
