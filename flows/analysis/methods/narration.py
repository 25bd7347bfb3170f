"""What a method finds: each row of its result as a frozen model whose parts are cells, and the
sentences that are made of these."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from typing import Annotated, Any, Generic, TypeVar, get_args, get_type_hints

from flows.analysis.methods.arguments import A
from flows.analysis.methods.specification import Specification
from flows.analysis.telling.cells import CitedCell

F = TypeVar("F")
Row = Mapping[str, CitedCell]


@dataclass(frozen=True, slots=True)
class InColumn:
    """Where a part of a finding stands that its column does not have the name of: in that column,
    or in that which the analysis says; a part of several columns has a cell of each."""

    name: str | Callable[[Specification[Any]], str | Sequence[str]]

    def of(self, study: Specification[Any]) -> str | Sequence[str]:
        return self.name(study) if callable(self.name) else self.name


@dataclass(frozen=True, kw_only=True)
class OfGroup:
    """A finding about all rows, or about those of one group."""

    group: Annotated[CitedCell | None, InColumn(lambda study: study.group)] = None

    @property
    def head(self) -> str:
        """The group that a sentence is about, before what is said of it."""
        return f"{self.group}: " if self.group else ""


@dataclass(frozen=True, kw_only=True)
class OfColumn(OfGroup):
    """A finding about a column, or about one of a group."""

    column: CitedCell

    @property
    def place(self) -> str:
        name = self.column.text()
        return f"{self.group}, {name}" if self.group else name


@dataclass(frozen=True, kw_only=True)
class OfRows:
    """A finding that says how many rows it rests on."""

    rows: CitedCell
    left_out: CitedCell | None = None

    @property
    def over(self) -> str:
        left = self.left_out
        out = f", {left} left out because a value is missing" if left and left.value else ""
        return f"over {self.rows} rows{out}"


@dataclass(frozen=True, slots=True)
class Narration(Generic[A, F]):
    """One kind of finding, and what is said of those of a result of `total` rows."""

    finding: type[F]
    say: Callable[[Specification[A], Sequence[F], int], str]

    @property
    def needs(self) -> tuple[str, ...]:
        """The columns that every result with such findings has."""
        needed = (at.name for at, needed in _parts(self.finding).values() if needed)
        return tuple(name for name in needed if isinstance(name, str))

    def find(self, study: Specification[A], rows: Sequence[Row]) -> list[F] | None:
        """The findings in the rows of a result; None where these lack a part of them."""
        parts = {part: (at.of(study), need) for part, (at, need) in _parts(self.finding).items()}
        needed = {
            name
            for names, need in parts.values()
            for name in ([names] if isinstance(names, str) else names)
            if need
        }
        if any(not needed <= row.keys() for row in rows):
            return None
        cells = ({part: _cells(row, at) for part, (at, _) in parts.items()} for row in rows)
        return [self.finding(**each) for each in cells]


def _parts(finding: type[Any]) -> dict[str, tuple[InColumn, bool]]:
    """The parts of a kind of finding: where each stands, and whether it always does."""
    hints = get_type_hints(finding, include_extras=True)
    return {
        part.name: (
            next((e for e in get_args(hints[part.name]) if isinstance(e, InColumn)),
                 InColumn(part.name)),
            part.default is MISSING,
        )
        for part in fields(finding)
    }  # fmt: skip


def _cells(row: Row, at: str | Sequence[str]) -> CitedCell | tuple[CitedCell, ...] | None:
    return row.get(at) if isinstance(at, str) else tuple(row[each] for each in at)
