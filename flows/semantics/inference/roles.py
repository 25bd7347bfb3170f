"""What a field is for: to identify, to group by, to measure, to say when or where."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from flows.data.tables import Column, plain_name
from flows.semantics.inference.quantities import is_quantity
from flows.semantics.inference.words import meanings_of, stems_of, words_of
from flows.semantics.model import DataType, Role
from flows.semantics.translation import english_name

_YES_NO = tuple(
    frozenset(each.split("/"))
    for each in (
        "yes/no", "y/n", "true/false", "t/f", "ja/nein", "j/n", "oui/non", "si/no", "sí/no",
        "wahr/falsch", "ano/ne", "tak/nie", "sim/não", "on/off", "1/0", "ja/nej", "da/ne",
    )
)  # fmt: skip
_PLACES = frozenset(
    ("country", "city", "town", "state", "province", "county", "region", "continent", "district",
     "postcode", "zip", "zipcode", "municipality", "borough", "village", "nation", "location",
     "neighborhood", "neighbourhood", "land", "stadt", "ort", "plz", "bundesland", "ville", "pays",
     "ciudad", "país", "latitude", "longitude", "lat", "lon", "lng", "long")
)  # fmt: skip
_POSTCODES = frozenset(("zip", "zipcode", "postcode", "postalcode", "postal", "plz"))
_CONTACTS = frozenset(
    ("phone", "telephone", "tel", "fax", "mobile", "email", "mail", "address", "street", "url",
     "ip", "website", "adresse", "strasse", "straße", "telefon")
)  # fmt: skip
_YEARS = frozenset(("founded", "established", "built", "since", "released", "jahr"))
_COORDINATES = frozenset(("latitude", "longitude", "lat", "lon", "lng"))
# Parts of a date that are kept as whole numbers: nobody sums them up.
_DATE_PARTS = {
    "month": (1, 12), "mon": (1, 12), "quarter": (1, 4), "qtr": (1, 4), "week": (0, 53),
    "weekday": (0, 7), "dow": (0, 7), "day": (0, 31), "hour": (0, 24), "minute": (0, 59),
    "second": (0, 59), "hr": (0, 24), "monat": (1, 12), "tag": (1, 31), "dayofweek": (0, 7),
}  # fmt: skip
_NUMBERED = ("index", "idx", "no", "nr", "number", "row", "rownum", "rownumber", "unnamed", "lfd")
# Letters and figures in one shape, as keys are written: `R-0012`, `AG07`, `N10156`.
_CODE = re.compile(r"[A-Za-z]{0,4}[-_/.]?\d[\w./-]*|[A-Z0-9]{2,8}")
_FEW = 10
_LEAST = 2


@dataclass(frozen=True, slots=True)
class Values:
    """What is known of a field's values after cleaning: its type, its categories, and whether it
    is part of a key or refers to one."""

    type: DataType
    texts: Sequence[str] = ()
    joins: bool = False


def role_of(column: Column, values: Values, nouns: Collection[str]) -> Role:
    """The role of a column in a table whose rows are called one of `nouns`."""
    if values.type in ("date", "timestamp", "time"):
        return "time"
    if values.type == "boolean" or _is_flag(column, values):
        return "flag"
    if values.joins:
        return "identifier"
    if values.type in ("integer", "text") and (named := _named_role(column.name)) is not None:
        return named
    if values.type in ("integer", "real"):
        return _number_role(column, values, nouns)
    if values.type != "text":
        return "text"
    return _text_role(column, values)


def _named_role(name: str) -> Role | None:
    """The role of what has figures and identifies no row: postcodes and telephone numbers."""
    words = set(words_of(name))
    if words & _POSTCODES:
        return "place"
    return "text" if words & _CONTACTS else None


def _is_flag(column: Column, values: Values) -> bool:
    if column.role == "boolean":
        return True
    found = frozenset(each.strip().casefold() for each in values.texts)
    return values.type == "text" and _says_yes_or_no(found)


def _says_yes_or_no(values: frozenset[str]) -> bool:
    """Whether values are a pair of yes and no, or pairs of which one is the other's short form."""
    pairs = [each for each in _YES_NO if each <= values]
    return values in _YES_NO or (
        len(values) == 4 and len(pairs) == 2 and values == pairs[0] | pairs[1]
        and {each[0] for each in pairs[0]} == {each[0] for each in pairs[1]}
    )  # fmt: skip


def _number_role(column: Column, values: Values, nouns: Collection[str]) -> Role:
    words = words_of(column.name)
    if column.role in ("id", "time") and values.type == column.type:
        return "identifier" if column.role == "id" else "time"
    if _COORDINATES.intersection(words):
        return "place"
    if words[-1] == "code":
        return "identifier"
    if values.type == "integer" and _YEARS.intersection(words) and _are_years(column):
        return "time"
    if values.type == "integer" and (_is_date_part(column, words) or _is_clock(column, words)):
        return "category"
    if values.type == "integer" and (_numbers_rows(column, nouns) or _is_number_of(column)):
        return "identifier"
    return "measure"


def _are_years(column: Column) -> bool:
    low, high = column.minimum, column.maximum
    return isinstance(low, int) and isinstance(high, int) and 1000 <= low <= high <= 2100


def _is_date_part(column: Column, words: Sequence[str]) -> bool:
    low, high = column.minimum, column.maximum
    if not isinstance(low, int) or not isinstance(high, int) or words[-1] not in _DATE_PARTS:
        return False
    least, most = _DATE_PARTS[words[-1]]
    alone = len(words) == 1 or words[-1] in ("hour", "month", "weekday", "quarter")
    return alone and least <= low and high <= most


def _is_clock(column: Column, words: Sequence[str]) -> bool:
    """Whether whole numbers are times of the day as 1745 for 17:45."""
    low, high = column.minimum, column.maximum
    if "time" not in words or not isinstance(low, int) or not isinstance(high, int):
        return False
    minutes = [int(each) % 100 for each in column.values]
    return low >= 0 and 1000 <= high <= 2400 and len(minutes) > _FEW and max(minutes) < 60


def _numbers_rows(column: Column, nouns: Collection[str]) -> bool:
    """Whether whole numbers only tell rows or things apart: the flight of a table of flights, or
    numbers from nought or one on without a gap that the name calls so."""
    name = plain_name(column.name)
    if name in {plain_name(each) for each in nouns} and not is_quantity(column.name):
        return True
    counted = column.minimum in (0, 1) and column.distinct == column.rows > _FEW
    gapless = counted and column.maximum == column.rows - 1 + int(column.minimum or 0)
    return gapless and (not name or stems_of(column.name)[0] in _NUMBERED)


def _is_number_of(column: Column) -> bool:
    """Whether whole numbers are called the number of a thing, and each row has another:
    `Personalnummer`."""
    english = english_name(column.name)
    return len(english) > 1 and english[-1] == "number" and column.distinct == column.rows > _FEW


def _text_role(column: Column, values: Values) -> Role:
    words = meanings_of(column.name)
    if column.role == "id":
        return "identifier"
    if words & _PLACES and not words & {"name", "time", "type", "id"}:
        return "place"
    named = words & {"name", "title", "label"}
    unique = (
        not named
        and column.rows > _LEAST
        and column.distinct >= 0.98 * (column.rows - column.missing) > 0
    )
    shown = [each for each in values.texts[:200] if each]
    if unique and shown and all(_CODE.fullmatch(each) for each in shown) and _is_code(shown):
        return "identifier"
    if column.role in ("measure", "time"):  # figures that are kept as text, and nobody counts
        return "category"
    return "text" if column.role == "text" else "category"


def _is_code(values: Sequence[str]) -> bool:
    """Whether texts are keys rather than words: figures in them, or all of one short length."""
    figures = sum(any(map(str.isdigit, each)) for each in values)
    same = len({len(each) for each in values}) == 1
    return figures == len(values) or (len(values) > _FEW and (figures > len(values) / 2 or same))
