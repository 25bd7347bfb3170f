"""A flow on a terminal: what it does, its ports, its keys, and the card beside its code."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from rich import box
from rich.console import Console
from rich.markdown import Markdown
from rich.table import Table
from rich.text import Text

from flows.services.flow_card import CardField, FlowCard
from flows.ui.page import Page
from flows.ui.terminal_text import clean, one_line

_NAME_CHARS = 40
_TYPE_CHARS = 40
_TEXT_CHARS = 300


def show_flows(console: Console, flows: Iterable[tuple[str, str]]) -> None:
    """A line for each flow."""
    table = _table("flow", "text")
    for name, text in flows:
        table.add_row(Text(one_line(name, _NAME_CHARS)), Text(one_line(text, _TEXT_CHARS)))
    Page(console).flush(table)


def show_flow_card(console: Console, card: FlowCard) -> None:
    """All of one flow."""
    page = Page(console)
    console.print(Text(f"{card.name} ({card.source})", style="bold"), soft_wrap=True)
    if card.text:
        page.flush(Text(clean(card.text)))
    _section(page, "Inputs", card.inputs)
    _section(page, "Outputs", card.outputs)
    _section(page, "Keys", card.keys)
    if card.defaults is not None:
        page.rule("Default config")
        page.flush(Text(clean(card.defaults.read_text(encoding="utf-8").rstrip())))
    if card.aliases:
        page.rule("Also called")
        page.flush(Text("\n".join(card.aliases)))
    if card.card:
        page.rule("Card")
        page.flush(Markdown(clean(card.card)))


def _section(page: Page, title: str, fields: Sequence[CardField] | None) -> None:
    page.rule(title)
    if not fields:
        page.flush(Text("none" if fields is not None else "as its config says"))
        return
    table = _table("name", "type", "default", "text")
    for each in fields:
        default = "needed" if each.needed else json.dumps(each.default, ensure_ascii=False)
        table.add_row(
            Text(each.name),
            Text(one_line(each.type, _TYPE_CHARS)),
            Text(one_line(default, _TYPE_CHARS)),
            Text(one_line(each.text, _TEXT_CHARS)),
        )
    page.flush(table)


def _table(*heads: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for head in heads:
        table.add_column(Text(head, style="bold"), no_wrap=head in {"flow", "name"})
    return table
