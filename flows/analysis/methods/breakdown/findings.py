"""What a breakdown says: a sentence for each thing that matters, the strongest first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from flows.analysis.methods.findings import ResultStatement, Statements
from flows.analysis.methods.sheet import Sheet
from flows.analysis.telling.cells import CitedCell

# How likely by chance a difference may be that is told; how much a column explains that matters,
# and that matters much.
_CHANCE = 0.05
_MATTERS, _MUCH = 0.01, 0.1
_SAME = 0.98
_TOLD = 6
_NEEDED = ("measure", "kind", "dimension", "group", "rows", "value", "average", "total", "others",
           "part", "strength", "p_value", "correlation")  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class BreakdownRow:
    """The figure of all rows, of a group, or how a number goes with the target."""

    measure: CitedCell
    kind: CitedCell
    dimension: CitedCell
    group: CitedCell
    rows: CitedCell
    value: CitedCell
    average: CitedCell
    total: CitedCell
    others: CitedCell
    part: CitedCell
    strength: CitedCell
    p_value: CitedCell
    correlation: CitedCell

    @property
    def is_share(self) -> bool:
        return str(self.measure.value).startswith("share ")

    @property
    def is_total(self) -> bool:
        return str(self.measure.value).startswith("total ")

    @property
    def is_sure(self) -> bool:
        return (
            self.strength.number >= _MATTERS and self.p_value.value is not None
            and self.p_value.number < _CHANCE
        )  # fmt: skip

    @property
    def what(self) -> str:
        """The target in words, without how it is summed up."""
        return str(self.measure.value).partition(" ")[2]

    @property
    def name(self) -> str:
        return in_words(self.dimension)

    def told(self, cell: CitedCell) -> str:
        """A figure of the target in the form that it is read in."""
        return cell.text(".1%") if self.is_share else amount(cell)


def amount(cell: CitedCell) -> str:
    """A number with as many digits as a person reads."""
    size = abs(cell.number)
    return cell.text(",.0f" if size >= 1000 else ",.1f" if size >= 100 else ",.2f")


def in_words(cell: CitedCell) -> str:
    """The name of a column as words; one with a number in it is referred to."""
    text = str(cell.value)
    return cell.text() if any(map(str.isdigit, text)) else " ".join(text.replace("_", " ").split())


def read_breakdown(sheet: Sheet) -> Statements | None:
    """The statements of a result; None for one of another kind."""
    if not set(_NEEDED) <= set(sheet.columns) or not sheet.rows:
        return None
    rows = [BreakdownRow(**{name: sheet.cell(at, name) for name in _NEEDED})
            for at in range(len(sheet.rows))]  # fmt: skip
    return Statements(tuple(statements(rows)))


def statements(rows: Sequence[BreakdownRow]) -> Iterator[ResultStatement]:
    """What the rows say: the whole, each column that matters, and what does not matter."""
    columns = [list(each) for _, each in groupby(rows, key=lambda row: (row.kind.value, row.name))]
    sure = [each for each in columns if each[0].kind.value in ("group", "number")
            and each[0].is_sure]  # fmt: skip
    unsure = [each for each in columns if each[0].kind.value in ("group", "number")
              and not each[0].is_sure]  # fmt: skip
    yield from _whole(rows)
    if rows[0].is_total:
        yield from _totals([each for each in columns if each[0].kind.value == "group"])
    else:
        for place, each in enumerate(sure[:_TOLD]):
            told = _number(each[0], place) if each[0].kind.value == "number" else _groups(
                each, place)  # fmt: skip
            yield ResultStatement(told, 9.0 - 0.3 * place, (str(each[0].dimension.value),))
        yield from _little(rows[0], sure, unsure)
    for each in columns:
        match each[0].kind.value:
            case "reason":
                yield _reasons(each)
            case "part" if not rows[0].is_total:
                yield _left_out(each[0])
            case "single":
                yield _single(each[0], left_out=not rows[0].is_total)


def _whole(rows: Sequence[BreakdownRow]) -> Iterator[ResultStatement]:
    first = rows[0]
    if first.is_share:
        text = (f"the share of {first.what} is {first.value.text('.1%')}: "
                f"{first.total.text(',.0f')} of {first.rows.text(',')} rows")  # fmt: skip
    else:
        over = first.rows.text(",")
        text = f"the {first.measure.text()} is {amount(first.value)} over {over} rows"
    yield ResultStatement(text, 9.5, (first.what,))
    for each in rows:
        if each.kind.value == "missing":
            yield ResultStatement(
                f"{each.what} is missing in {each.rows.text(',')} of {each.value.text(',.0f')} "
                "rows, which are left out", 4.0,
            )  # fmt: skip


def _groups(groups: Sequence[BreakdownRow], place: int) -> str:
    first, last = groups[0], groups[-1]
    lead = f"{first.name} explains most of {first.what}" if place == 0 else (
        f"{first.name} matters for {first.what}")  # fmt: skip
    second = f", before {_group(groups[1])}" if len(groups) > 2 else ""
    return (
        f"{lead} ({first.strength.text('.1%')} of its differences): {label(first)} has the "
        f"{'highest share' if first.is_share else 'highest average'}, {first.told(first.average)} "
        f"over {first.rows.text(',')} rows{second}, and {_group(last)} the lowest"
    )


def _group(row: BreakdownRow) -> str:
    return f"{label(row)} ({row.told(row.average)})"


_BARE = frozenset(["0", "1", "yes", "no", "y", "n", "true", "false"])


def label(row: BreakdownRow) -> str:
    """A group as a sentence names it: yes and no with what they are of."""
    return labelled(row.dimension, row.group)


def labelled(dimension: CitedCell, group: CitedCell) -> str:
    """A group by its name; yes and no, and numbers, with what they are of."""
    text = str(group.value)
    bare = text.casefold() in _BARE or text.replace(".", "").isdigit()
    return f"{in_words(dimension)} {group.text()}" if bare else group.text()


def _number(row: BreakdownRow, place: int) -> str:
    way = "more" if row.correlation.number > 0 else "less"
    verb = "goes most closely with" if place == 0 else "goes with"
    close = ", so closely that it may be a part or another measure of it" if abs(
        row.correlation.number) > _SAME else ""  # fmt: skip
    return (
        f"{row.name} {verb} {row.what} (correlation {row.correlation.text('.2f')}): with more of "
        f"it there is {way}, {row.told(row.value)} in its upper third against "
        f"{row.told(row.others)} in its lower third{close}"
    )


def _little(
    whole: BreakdownRow, sure: Sequence[Sequence[BreakdownRow]],
    unsure: Sequence[Sequence[BreakdownRow]],
) -> Iterator[ResultStatement]:  # fmt: skip
    """What hardly matters; or that nothing does."""
    names = listed([each[0].name for each in unsure[:_TOLD]])
    if unsure and sure:
        text = f"{names} hardly matter{'s' if len(unsure) == 1 else ''} for {whole.what}: what "
        yield ResultStatement(f"{text}differences there are may be chance", 6.0)
    if unsure and (not sure or max(each[0].strength.number for each in sure) < 0.02):
        yield ResultStatement(
            f"nothing in the data explains {whole.what} well: no column has a strong effect on it",
            9.2, (whole.what,),
        )  # fmt: skip
    if unsure and not sure:
        for each in [e for e in unsure if e[0].kind.value == "group"][:2]:
            first, last = each[0], each[-1]
            text = (f"by {first.name}, {label(first)} has the highest {first.what} "
                    f"({first.told(first.average)}) and {label(last)} the lowest "
                    f"({last.told(last.average)}), a difference that may be chance")  # fmt: skip
            yield ResultStatement(text, 6.5)


def _totals(columns: Sequence[Sequence[BreakdownRow]]) -> Iterator[ResultStatement]:
    for place, each in enumerate(columns[:_TOLD]):
        first, last = each[0], each[-1]
        more = f", before {listed([_of_total(e) for e in each[1:3]])}" if len(each) > 1 else ""
        end = f"; {_of_total(last)} is last" if len(each) > 3 else ""
        text = (
            f"{label(first)} is the {first.name} with the most {first.what}: "
            f"{amount(first.total)}, {first.part.text('.1f')} % of the total{more}{end}"
        )
        yield ResultStatement(text, 9.0 - 0.3 * place, (str(first.dimension.value),))


def _of_total(row: BreakdownRow) -> str:
    return f"{label(row)} ({amount(row.total)}, {row.part.text('.1f')} %)"


def _reasons(groups: Sequence[BreakdownRow]) -> ResultStatement:
    said = [f"{e.group.text()} ({e.rows.text(',')} rows, {e.part.text('.1f')} %)" for e in groups]
    text = f"the most frequent {groups[0].name} is {said[0]}"
    return ResultStatement(f"{text}, before {listed(said[1:4])}" if said[1:] else text, 8.6)


def _left_out(row: BreakdownRow) -> ResultStatement:
    r = row.correlation
    close = f" (correlation {r.text('.2f')})" if r.value is not None else ""
    text = f"{row.name} is left out as a driver of {row.what}: it is a part of it, follows from it "
    return ResultStatement(f"{text}or is another measure of it{close}", 5.5)


def _single(row: BreakdownRow, *, left_out: bool) -> ResultStatement:
    amount_of = f", with a {row.name} of {amount(row.value)}," if row.name else ""
    end = ("without which the groups are compared" if left_out
           else "which distorts the totals of its groups")  # fmt: skip
    text = (
        f"one single row{amount_of} makes up {row.part.text('.1f')} % of all {row.what} "
        f"({amount(row.total)}): an outlier, {end}"
    )
    return ResultStatement(text, 8.2)


def listed(parts: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return " and ".join(filter(None, (", ".join(parts[:-1]), *parts[-1:])))
