"""What a column is for: to identify a row, to be counted with, to group by, to order in time."""

from __future__ import annotations

import re
from dataclasses import dataclass

from flows.core.observation import Cell
from flows.data.tables import ColumnRole, ColumnType

_ID_NAME = re.compile(r"(?:^|[_\s.\-])(?i:id|ids|uuid|guid|key)$|[a-z0-9](?:Id|ID|Key)$", re.ASCII)
_ID_ENDING = re.compile(r"(?:id|key)$", re.IGNORECASE)
# Numbers that nobody adds up.
_CODE_NAME = re.compile(
    r"(?:^|[_\s.\-])(?:zip|zipcode|postcode|postal_?code|phone|telephone|fax|isbn|ssn)"
    r"(?:$|[_\s.\-])",
    re.IGNORECASE,
)
_NUMBER_NAME = re.compile(
    r"(?:[_\s.\-](?i:num|no|nr|code)|[a-z](?:Num|No|Nr|Code))$|(?i:[a-zäöüß]{3}(?:nr|nummer)\.?)$"
)
_YEAR_NAME = re.compile(r"(?:^|[_\s.\-])(?i:year|yr)(?:$|[_\s.\-A-Z0-9])|[a-z](?:Year|YEAR|Yr)$")
_FOUR_DIGITS = re.compile(r"^(?:1\d{3}|20\d{2}|2100)$")
_NUMBER = re.compile(r"^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*$")
_LONG_TEXT = 80.0
_FEW_ROWS = 50


@dataclass(frozen=True, slots=True)
class Shape:
    """What is known of a column's values before its role is. `length` is of text, on average."""

    name: str
    type: ColumnType
    rows: int
    missing: int
    distinct: int
    minimum: Cell = None
    maximum: Cell = None
    length: float = 0.0
    values: tuple[str, ...] = ()
    is_key: bool = False
    is_reference: bool = False

    @property
    def filled(self) -> int:
        return self.rows - self.missing


def role_of(shape: Shape) -> ColumnRole:
    """The role of a column, by its type, its name, and how many different values it has."""
    if shape.type == "boolean":
        return "boolean"
    if shape.type in ("date", "timestamp", "time"):
        return "time"
    if shape.type == "integer":
        return _integer_role(shape)
    if shape.type == "real":
        return "time" if _named_year(shape) else "measure"
    if shape.type == "text":
        return _text_role(shape)
    return "text"


def _integer_role(shape: Shape) -> ColumnRole:
    names = (_ID_NAME, _CODE_NAME, _NUMBER_NAME)
    if shape.is_reference or any(each.search(shape.name) for each in names):
        return "id"
    if _is_year(shape):
        return "time"
    if (shape.minimum, shape.maximum, shape.distinct) == (0, 1, 2) and not shape.is_key:
        return "boolean"
    if shape.is_key or (_nearly_unique(shape) and _ID_ENDING.search(shape.name)):
        return "id"
    return "measure"


def _is_year(shape: Shape) -> bool:
    """Whole numbers that read as years: by their name, or because they lie densely in our time."""
    if _named_year(shape):
        return True
    low, high = shape.minimum, shape.maximum
    if not isinstance(low, int) or not isinstance(high, int) or high > 2100:
        return False
    span = high - low + 1
    repeated = shape.distinct < shape.filled or shape.distinct == span
    dense = shape.distinct >= max(2, 0.1 * span)
    return low >= 1700 and repeated and dense and span <= 300


def _named_year(shape: Shape) -> bool:
    """A column that is called a year and whose numbers can be one."""
    low, high = shape.minimum, shape.maximum
    if not isinstance(low, (int, float)) or not isinstance(high, (int, float)):
        return False
    return bool(_YEAR_NAME.search(shape.name)) and low >= 1000 and high <= 2100


def _text_role(shape: Shape) -> ColumnRole:
    if shape.is_key or shape.is_reference or _ID_NAME.search(shape.name):
        return "id"
    if shape.values and all(_FOUR_DIGITS.match(value) for value in shape.values):
        return "time"
    if _are_numbers(shape) and not _CODE_NAME.search(shape.name):
        return "measure"
    if shape.length > _LONG_TEXT:
        return "text"
    return "text" if _nearly_unique(shape) and shape.filled > _FEW_ROWS else "category"


def _are_numbers(shape: Shape) -> bool:
    """Numbers kept as text, where a blank stands for a missing one."""
    written = [value for value in shape.values if value.strip()]
    return len(written) > 1 and all(_NUMBER.match(value) for value in written)


def _nearly_unique(shape: Shape) -> bool:
    return shape.filled > 0 and shape.distinct >= 0.95 * shape.filled
