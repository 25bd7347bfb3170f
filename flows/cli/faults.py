"""How an error looks on standard error: what, where, what is allowed and what was meant."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from shutil import get_terminal_size

import typer

from flows.config.redaction import redact_pieces
from flows.errors import CheckError, ConfigError, FlowsError, nearest

INDENT = "  "
WIDEST = 100
MOST_ALLOWED = 60

# A part of a line and what it is; `STYLES` says how that looks on a terminal.
Part = tuple[str, str]
STYLES = {
    "error": "bold red",
    "place": "cyan",
    "path": "bold",
    "hint": "green",
    "faint": "dim",
}


def show_fault(error: FlowsError) -> None:
    """Print an error, or each of several, on standard error."""
    faults = error.errors if isinstance(error, CheckError) else (error,)
    width = min(get_terminal_size((WIDEST, 24)).columns, WIDEST)
    blocks = [list(_lines(each, width)) for each in faults]
    count = sum(not getattr(each, "warning", False) for each in faults)
    if count > 1:
        blocks.append([[("error", f"{count} faults")]])
    _write(blocks)


def usage_fault(error: typer.TyperException, arguments: Sequence[str]) -> int:
    """Print what is wrong with the command line and return the exit code."""
    if type(error).__name__ == "NoArgsIsHelpError":
        print(error.format_message())
        return 2
    lines: list[list[Part]] = [[("error", "error: "), ("", _sentence(error.format_message()))]]
    context = getattr(error, "ctx", None)
    if context is not None:
        words = [each for each in arguments if not each.startswith("-")]
        commands = getattr(context.command, "commands", {})
        close = nearest(words[0], commands) if commands and words else None
        meant = getattr(error, "possibilities", None) or [close]
        if meant[0]:
            lines.append([("hint", f"{INDENT}did you mean: {meant[0]}")])
        lines.append([("faint", f"{INDENT}help: {context.command_path} --help")])
    _write([lines])
    if "--json" in arguments:
        reason = _sentence(error.format_message())
        if arguments[0] == "ask":
            from flows.library.ask.answer import AskAnswer

            explain = "--explain" in arguments
            print(json.dumps(AskAnswer.failure(reason, explain=explain).as_json()))
            return 2
        if arguments[0] == "analyse":
            from flows.services.analysis_answer import AnalysisAnswer

            print(json.dumps(AnalysisAnswer.failure(reason).as_json()))
            return 2
        if arguments[0] == "compete":
            from flows.services.competition_answer import CompetitionAnswer

            print(json.dumps(CompetitionAnswer.failure(reason).as_json()))
            return 2
        nothing: dict[str, object] = {"run_id": None, "outputs": {}, "usage": {}, "artifacts": []}
        print(json.dumps({"status": "failed", "reason": reason, **nothing}))
    return 2


def fault_as_json(error: FlowsError) -> dict[str, object]:
    """An error as plain data for `--json`."""
    faults = error.errors if isinstance(error, CheckError) else (error,)
    return {"status": "failed", "errors": [_as_json(each) for each in faults]}


def _as_json(error: FlowsError) -> dict[str, object]:
    if not isinstance(error, ConfigError):
        return {"problem": redact_pieces(str(error))}
    return {
        "problem": redact_pieces(error.problem),
        "place": str(error.place) if error.place else None,
        "path": error.path or None,
        "meant": error.meant,
        "allowed": list(error.allowed),
        **({"warning": True} if error.warning else {}),
    }


def _lines(error: FlowsError, width: int) -> Iterator[list[Part]]:
    """The lines of one error, each as parts."""
    if not isinstance(error, ConfigError):
        first, *rest = str(error).splitlines() or [type(error).__name__]
        yield [("error", "error: "), ("", first)]
        yield from ([("", INDENT + line)] for line in rest)
        return
    head: list[Part] = [("hint", "warning: ") if error.warning else ("error", "error: ")]
    if error.place:
        head.append(("place", f"{error.place}: "))
    if error.path:
        head.append(("path", f"{short_path(error.path)}: "))
    first, *rest = error.problem.splitlines() or [""]
    yield [*head, ("", first)]
    yield from ([("", INDENT + line)] for line in rest)
    if error.meant is not None:
        yield [("hint", f"{INDENT}did you mean: {error.meant}")]
    if error.allowed:
        yield from ([("faint", line)] for line in _allowed(error, width))


def short_path(path: str) -> str:
    """A config path as an override may write it."""
    return path.replace("subflows_config.", "")


def _allowed(error: ConfigError, width: int) -> list[str]:
    """What is allowed, wrapped between words; of a very long list the beginning."""
    shown = list(error.allowed[:MOST_ALLOWED])
    more = len(error.allowed) - len(shown)
    text = ", ".join(shown) + (f" and {more} more" if more else "")
    head = f"{INDENT}allowed: "
    return textwrap.wrap(
        text,
        max(width, 40),
        initial_indent=head,
        subsequent_indent=" " * len(head),
        break_on_hyphens=False,
        break_long_words=False,
    )


def _sentence(text: str) -> str:
    """Typer's message in the style of ours, without its own guess."""
    for guess in (". Did you mean", " (Possible options"):
        text = text.partition(guess)[0]
    return (text[:1].lower() + text[1:]).rstrip(".")


def _write(blocks: list[list[list[Part]]]) -> None:
    """The blocks, with empty lines between them when one has several lines; plain in a pipe.

    Lines are not wrapped to the terminal, so that a place stays one word to click on.
    """
    from rich.text import Text

    from flows.ui.console import make_console
    from flows.ui.terminal_text import clean

    console = make_console(to_stderr=True)
    is_airy = any(len(lines) > 1 for lines in blocks)
    for number, lines in enumerate(blocks):
        if number and is_airy:
            console.print()
        for line in lines:
            shown = ((clean(redact_pieces(text)).replace("\n", " "), kind) for kind, text in line)
            parts = [(text, STYLES.get(kind, "")) for text, kind in shown]
            console.print(Text.assemble(*parts), soft_wrap=True)


@contextmanager
def failing_as_json(wanted: bool) -> Iterator[None]:
    """With JSON wanted, an error is an object on stdout too."""
    try:
        yield
    except FlowsError as error:
        if wanted:
            print(json.dumps(fault_as_json(error), ensure_ascii=False))
        raise
