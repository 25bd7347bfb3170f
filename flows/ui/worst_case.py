"""The worst case of a run as text: the flows that ask a model, their loops, and the total."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf

from flows.build.cost_table import CostTable, FlowCost, Loop
from flows.build.worst_case import WorstCase, in_units, limit_text
from flows.ui.terminal_text import clean

_FLOWS = ("flow", "runs", "model calls", "model", "prompt", "reply", "cost", "")
_LOOPS = ("loop", "bound", "times", "")


def cost_lines(table: CostTable) -> list[str]:
    """The lines of the tables, indented by two."""
    if not table.flows:
        return ["  no flow asks a model"]
    flows = [_FLOWS, *map(_flow_row, table.flows)]
    lines = _aligned(flows, right=(1, 2, 4, 5, 6))
    if table.loops:
        lines += ["", *_aligned([_LOOPS, *map(_loop_row, table.loops)], right=(2,))]
    totals = list(_totals(table.worst))
    if lacks := dict.fromkeys(each.use.lacks for each in table.flows if each.use.lacks):
        totals.append(("to know it", f"give {', '.join(lacks)}"))
    return [*lines, "", *_aligned(totals, right=())]


def _flow_row(flow: FlowCost) -> tuple[str, ...]:
    use = flow.use
    if use.free:
        amounts = ("free", "free", "$0")
    else:
        amounts = (_tokens(use.prompt), _tokens(use.reply), _dollars(flow.cost))
    return (
        flow.path, _often(flow.runs), _often(flow.calls), use.model or "unknown", *amounts,
        str(flow.place),
    )  # fmt: skip


def _loop_row(loop: Loop) -> tuple[str, ...]:
    bounds = [f"{key}={value}" for key, value in loop.keys.items() if value is not None]
    if loop.times == inf:
        *first, last = loop.open_keys
        bounds.append(f"no limit; set {', '.join(first)} or {last}")
    elif not bounds:
        bounds.append("its own code")
    return (loop.path, ", ".join(bounds), _often(loop.times), str(loop.place))


def _totals(worst: WorstCase) -> Iterator[tuple[str, str]]:
    total, limits = worst.total, worst.limits
    yield "all calls", _limited("model_calls", total.calls, 0, limits.model_calls)
    yield "all tokens", _limited("tokens", total.tokens, total.unsized, limits.tokens)
    yield "all money", _limited("cost", total.cost, total.unpriced, limits.cost)


def _limited(key: str, amount: float, unknown: float, limit: float | None) -> str:
    """The most of something, with the calls of which it is not known, and the limit of the run."""
    text = "none" if not amount and not unknown else in_units(key, amount)
    if unknown:
        what = "size" if key == "tokens" else "cost"
        of_unknown = f"{_often(unknown)} calls of unknown {what}"
        text = f"{text} and {of_unknown}" if amount else of_unknown
    if limit is None:
        return f"{text}; limits.{key} would bound it" if inf in (amount, unknown) else text
    return f"{text}; {limit_text(key, limit)}"


def _often(number: float) -> str:
    return "no limit" if number == inf else f"{number:,.0f}"


def _tokens(number: int | None) -> str:
    return "unknown" if number is None else f"{number:,}"


def _dollars(amount: float | None) -> str:
    if amount is None:
        return "unknown"
    return "no limit" if amount == inf else f"${amount:,.2f}"


def _aligned(rows: Sequence[Sequence[str]], right: Sequence[int]) -> list[str]:
    rows = [[clean(cell, keep_newlines=False) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  " + "  ".join(
            cell.rjust(width) if at in right else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]  # fmt: skip
