"""Where the numbers of an answer come from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from flows.core.observation import Cell
from flows.ui.cells import exact
from flows.ui.page import Page, counted
from flows.ui.terminal_text import one_line

_MOST = 40
_NUMBER_CHARS = 30
_WIDEST_NUMBER = 14


class NumberSource(NamedTuple):
    """The origin of one number, as the flow that cites says it. `row` counts from 0."""

    text: str
    origin: str
    result: str = ""
    row: int | None = None
    column: str = ""
    value: Cell = None
    sql: str = ""
    formula: str = ""

    @property
    def found(self) -> bool:
        return self.origin in ("cell", "derived", "rows", "question", "query")

    def words(self) -> str:
        """What the number is, without the name of the result."""
        column = one_line(self.column, 60)
        match self.origin:
            case "cell":
                row = "" if self.row is None else f"row {self.row + 1:,}, "
                return f"{row}{column} = {exact(self.value)}"
            case "derived":
                return f"{column}: {one_line(self.formula, 80)}"
            case "rows":
                return f"the number of rows, {exact(self.value)}"
            case "question":
                return "given in the question"
            case "query":
                return "written in the query"
            case _:
                return "no source"


def read_sources(citations: object) -> list[NumberSource]:
    """The sources among a flow's outputs, each once; what is not a citation is left out."""
    if not isinstance(citations, Sequence) or isinstance(citations, (str, bytes)):
        return []
    sources = (_source(each) for each in citations)
    return list(dict.fromkeys(source for source in sources if source is not None))


def show_sources(
    page: Page, sources: list[NumberSource], outputs: Mapping[str, Any] | None = None
) -> None:
    """A line for each number, and below the query of each result that they point to.

    Above them stands how many are traced and how sure the reading is, when the `outputs` say so.
    """
    if not sources:
        return
    page.rule("Where the numbers come from")
    if told := _traced(outputs or {}):
        page.console.print(Text(told))
    lost = sum(not source.found for source in sources)
    if lost:
        verb = "has" if lost == 1 else "have"
        page.console.print(Text(f"{counted(lost, 'number')} {verb} no source", style="bold red"))
    grid = Table.grid(padding=(0, 2, 0, 0), pad_edge=False)
    numbers = [one_line(source.text, _NUMBER_CHARS) for source in sources[:_MOST]]
    width = min(_WIDEST_NUMBER, max(cell_len(number) for number in numbers))
    grid.add_column(width=width, justify="right", overflow="fold")
    grid.add_column(overflow="fold")
    for number, source in zip(numbers, sources, strict=False):
        style = "bold" if source.found else "bold red"
        grid.add_row(Text(number, style=style), _described(source))
    page.flush(grid)
    if len(sources) > _MOST:
        page.console.print(Text(f"… {len(sources) - _MOST} more", style="dim"))
    for name, sql in dict.fromkeys((each.result, each.sql) for each in sources if each.sql):
        page.console.print()
        page.console.print(Text(one_line(name, 60) or "query", style="cyan"))
        page.sql(sql)


def _described(source: NumberSource) -> Text:
    if not source.found:
        return Text(source.words(), style="red")
    name = one_line(source.result, 60)
    return Text.assemble((f"{name}  ", "cyan") if name else "", source.words())


def _source(citation: object) -> NumberSource | None:
    fields = {name: _field(citation, name) for name in NumberSource._fields}
    if not isinstance(fields["text"], str) or not isinstance(fields["origin"], str):
        return None
    value, row = fields["value"], fields["row"]
    return NumberSource(
        text=fields["text"],
        origin=fields["origin"],
        result=str(fields["result"] or ""),
        row=row if isinstance(row, int) else None,
        column=str(fields["column"] or ""),
        value=value if value is None or isinstance(value, (str, int, float)) else str(value),
        sql=str(fields["sql"] or ""),
        formula=str(fields["formula"] or ""),
    )


def _field(citation: object, name: str) -> Any:
    if isinstance(citation, Mapping):
        return citation.get(name)
    return getattr(citation, name, None)


def _traced(outputs: Mapping[str, Any]) -> str:
    """How many of the answer's numbers have a source that was found, beside how sure the reading
    of the question is: a number that stands in a cell may still answer another question."""
    given = outputs.get("traced")
    numbers, traced = _field(given, "numbers"), _field(given, "traced")
    if not isinstance(numbers, int) or not isinstance(traced, int) or not numbers:
        return ""
    whose = "its" if numbers == 1 else "their"
    told = f"{traced:,} of {counted(numbers, 'number')} traced to {whose} source"
    sure = outputs.get("confidence")
    return f"{told}, by a reading that is {sure:.0%} sure" if isinstance(sure, float) else told
