"""How a value of a run came to be, on the screen and as plain data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from rich.console import Console
from rich.text import Text

from flows.explain.body_parts import BodyPart, PartOrigin
from flows.explain.explain import Explanation
from flows.explain.model_requests import Sent
from flows.explain.origins import OriginLink
from flows.explain.retrace import Retold
from flows.ui.page import Page, counted
from flows.ui.questions import local_time
from flows.ui.terminal_text import as_text, clean, one_line

_VALUE: Final = 300
_PART: Final = 10_000
_LABEL: Final = 26
_NEWLINE: Final = "\\n"


def show_values(console: Console, run_id: str, values: Sequence[tuple[str, Any]]) -> None:
    """A line for each value that can be explained, and the command that does it."""
    for path, value in values:
        line = f"{one_line(path, 200)}  {one_line(as_text(value), _VALUE)}"
        console.print(Text(line), overflow="ellipsis", no_wrap=True)
    if values:
        last = Text(f"\nflows explain {run_id} {values[0][0]}", "dim")
    else:
        last = Text(f"The run {run_id} has come to nothing that could be explained.", "dim")
    console.print(last, soft_wrap=True)


def show_explanation(console: Console, found: Explanation) -> None:
    """Write the value, the links back, and each request with the origins of its parts."""
    page = Page(console)
    page.rule(found.path)
    page.text("Value", as_text(found.value, indent=2))
    page.rule("Where it comes from")
    for number, link in enumerate(found.links, 1):
        _show_link(page, number, link, found.told)
        if link.kind == "data":
            _show_data(page, link, found.told.plan.spec.get("data") or {})
    for sent in found.requests:
        _show_request(page, sent)
    console.print()


def _show_link(page: Page, number: int, link: OriginLink, told: Retold) -> None:
    changed = (f"after the change {each.said}" for each in told.changes_before(link.step))
    lines = [_place(link), *_facts(link), *(one_line(each, _VALUE) for each in changed)]
    if link.of is not None:
        step = f" {link.by}" if link.by else ""
        lines.insert(1, f"the input{step} of link {link.of + 1}: {_how(link)}")
    elif link.source.how != "same value":
        lines.insert(1, _how(link))
    page.block(str(number), page.wrapped("\n".join(lines)))


def _show_data(page: Page, link: OriginLink, sources: Mapping[str, str]) -> None:
    """What a step read: the data sources that there are, and its query."""
    page.text("Data", "\n".join(f"{name}: {where}" for name, where in sources.items()))
    sql = link.step.inputs.get("sql")
    if isinstance(sql, str):
        page.sql(sql)


def _place(link: OriginLink) -> str:
    if link.kind == "input":
        return f"{link.key}: an input of the run"
    if link.kind == "composite":
        name = link.step.address or link.step.flow.name
        return f"{name}: no step's outcome holds it"
    return f"{link.step.address}.{link.key}" if link.step.address else link.key


def _how(link: OriginLink) -> str:
    inner = f", at {'.'.join(link.source.inner)}" if link.source.inner else ""
    return f"{link.source.how}{inner}"


def _facts(link: OriginLink) -> list[str]:
    """What the link is, and what kind of step it is of."""
    name = link.step.flow.code_class.__name__
    inputs = ", ".join(link.step.inputs)
    said = {
        "model": "the reply of a model",
        "person": f"a person said it: {_short(link.source.value)}",
        "data": "read from the data sources",
        "passes on": f"handed on by {name}",
        "made": f"made by {name} from its inputs ({inputs})",
        "input": _short(link.source.value),
        "composite": f"made by the code or the config of {name}: {_short(link.source.value)}",
    }[link.kind]
    if link.kind in ("input", "composite"):
        return [said]
    if link.step.outputs is None:
        said = f"the error of {name}"
    row = link.step.row
    at = f" · {local_time(row.at)}" if row is not None else ""
    return [said, f"{name} · {link.effect}{at}"]


def _short(value: object) -> str:
    return one_line(as_text(value), _VALUE) or "(empty)"


def _show_request(page: Page, sent: Sent) -> None:
    """The request: first where its variables and prompts are from, then its bytes in parts."""
    page.rule(f"What {sent.step or 'the run'} sent")
    at = f" · {local_time(sent.at)}" if sent.at is not None else ""
    size = f" · {counted(len(sent.body), 'byte')}" if sent.body is not None else ""
    page.text("Model", f"{sent.model}{at}{size}")
    page.block("Bytes", page.wrapped(_standing(sent), "" if sent.matches else "yellow"))
    origins = [part.origin for part in sent.parts]
    _legend(page, "Prompts", (_file(each) for each in origins if each.file))
    _legend(page, "Values", (each.text for each in origins if each.kind == "value"))
    page.console.print()
    for part in sent.parts:
        _show_part(page, part)


def _legend(page: Page, label: str, lines: Iterable[str]) -> None:
    known = list(dict.fromkeys(lines))
    if known:
        page.block(label, page.wrapped("\n".join(known)))


def _file(origin: PartOrigin) -> str:
    name = origin.file.replace("\\", "/").rpartition("/")[2]
    return f"{name}: {origin.file}{', changed since' if origin.changed else ''}"


def _standing(sent: Sent) -> str:
    if sent.matches:
        more = f" ({sent.why})" if sent.why else ""
        return f"as the model got them: their digest {sent.digest} is the recorded one{more}"
    if sent.body is None:
        return f"not known: {sent.why}"
    return f"perhaps not those that the model got: {sent.why}"


def _show_part(page: Page, part: BodyPart) -> None:
    """The part as it was sent, beside where it comes from; a line ends after each written \\n."""
    lines = part.text[:_PART].replace(_NEWLINE, f"{_NEWLINE}\n").removesuffix("\n").split("\n")
    left = len(part.text) - _PART
    if left > 0:
        lines.append(f"… {left:,} more characters; --body and --json have all")
    for number, line in enumerate(lines):
        label = one_line(_label(part.origin), _LABEL) if number == 0 else ""
        shown = Text.assemble((f"{label:<{_LABEL}} │ ", "cyan"), clean(line))
        page.console.print(shown, soft_wrap=True)


def _label(origin: PartOrigin) -> str:
    """Where a part is from, as shortly as the legend allows."""
    if origin.kind == "value":
        return f"  {{{origin.variable}}}"
    if origin.kind == "prompt" and origin.line:
        return f"{_file(origin).partition(':')[0]}:{origin.line}"
    return {"chat": f"chat {origin.step}", "config": origin.key}.get(origin.kind, "·")
