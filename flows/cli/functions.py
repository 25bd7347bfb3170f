"""`flows functions`: the index of functions that an agent searches."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, TextIO

import typer

from flows.cli.arguments import AsJson

if TYPE_CHECKING:
    from flows.core.function_store import FunctionClass
    from flows.services.functions import EmbedderName, FunctionService, Indexed

ACTIONS: Final = ("list", "index", "search", "show", "remove", "stats")
CLASSES: Final = (
    "Any", "api", "entity", "VectorSearch", "ColumnarQuantitativeSearch", "flow", "python",
)  # fmt: skip
EMBEDDERS: Final = ("auto", "none", "minilm")
MOST_FAULTS: Final = 50
WRONG: Final = 2


def functions(
    action: Annotated[
        str, typer.Argument(metavar="ACTION", help="list, index, search, show, remove or stats.")
    ] = "list",
    given: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="WHAT",
            help="Files to index; the question of a search; ids or names of functions.",
            show_default=False,
        ),
    ] = None,
    index: Annotated[
        Path, typer.Option(help="The folder that the index is kept in.", metavar="FOLDER")
    ] = Path(".flows/functions"),
    k: Annotated[int, typer.Option("--k", help="Functions that a search finds.", min=1)] = 10,
    batch: Annotated[
        Path | None,
        typer.Option(
            help="Search for each line of a file: text, or JSON with question and id; - is stdin.",
            metavar="FILE",
            show_default=False,
        ),
    ] = None,
    function_class: Annotated[
        str, typer.Option("--class", help="Functions of that class alone.", metavar="CLASS")
    ] = "Any",
    namespace: Annotated[
        str,
        typer.Option(help="Functions of that namespace alone; the one that files are put in."),
    ] = "",
    embedder: Annotated[
        str,
        typer.Option(
            help="minilm compares meanings, too (extra semantic); auto does where the index has "
            "vectors; none compares words.",
            metavar="NAME",
        ),
    ] = "auto",
    table: Annotated[
        Path,
        typer.Option(help="The responses that stats are of.", metavar="FILE"),
    ] = Path(".flows/responses.sqlite"),
    user: Annotated[str, typer.Option(help="Stats of the answers to that user alone.")] = "",
    channel: Annotated[str, typer.Option(help="Stats of the answers in that channel.")] = "",
    as_json: AsJson = False,
) -> int:
    """Index, search, list and show functions: what an agent may load and call.

    Files are JSON lines of OpenAI's function dictionaries, or Python files, of which the text is
    read and nothing is run. A function of the same namespace and name is replaced, the same again
    is left as it is, and an index that was stopped goes on. Of unclear functions each is named
    with its place, and the others are indexed. More: docs/functions.md.

    stats tells of the functions that answers of flows interpret called what they do to confidence,
    those that lower it most first.

    Examples:

      flows functions index tools.jsonl our_functions.py
      flows functions index tools.jsonl --embedder minilm
      flows functions search "What is the weather in Oslo?" --k 3
      flows functions search --batch questions.jsonl --json
      flows functions list --class api
      flows functions show get_weather
      flows functions stats --channel sales

    Exit codes: 0; 2 wrong usage, or a function that was left out.
    """
    import asyncio

    names = list(given or ())
    check_usage(action, names, batch, function_class, embedder)
    if action == "stats":
        tell_stats(table, user, channel, as_json=as_json)
        return 0
    return asyncio.run(
        work(action, names, index, k, batch, function_class, namespace, embedder, as_json=as_json)  # type: ignore[arg-type]
    )


async def work(
    action: str,
    names: list[str],
    folder: Path,
    k: int,
    batch: Path | None,
    function_class: FunctionClass,
    namespace: str,
    embedder: EmbedderName,
    *,
    as_json: bool,
) -> int:
    """Do what the command line asks for; returns the exit code."""
    from flows.services.functions import open_functions

    async with open_functions(folder, embedder) as service:
        match action:
            case "index":
                files = [Path(each) for each in names]
                indexed = await service.add(files, namespace or "default")
                return tell_indexed(indexed, await service.index.count(), as_json=as_json)
            case "search" if batch is not None:
                await search_batch(service, batch, k, function_class, namespace)
            case "search":
                await search(service, names[0], k, function_class, namespace, as_json=as_json)
            case "show":
                await show(service, names, as_json=as_json)
            case "remove":
                await remove(service, names, as_json=as_json)
            case _:
                await show_list(service, function_class, namespace, as_json=as_json)
    return 0


def check_usage(
    action: str, names: list[str], batch: Path | None, function_class: str, embedder: str
) -> None:
    """Errors: `UsageError` for a word that there is not, and for arguments that do not fit."""
    from flows.errors import UsageError, nearest

    for what, word, allowed in (
        ("action", action, ACTIONS),
        ("class", function_class, CLASSES),
        ("embedder", embedder, EMBEDDERS),
    ):
        if word not in allowed:
            meant = nearest(word, allowed)
            hint = f"\ndid you mean: {meant}" if meant else ""
            raise UsageError(f"there is no {what} {word!r}{hint}\nallowed: {', '.join(allowed)}")
    if action == "stats" and names:
        raise UsageError("flows functions stats takes no name; --user and --channel choose answers")
    if action == "list" and names:
        raise UsageError(
            f'flows functions list takes no name; as: flows functions search "{names[0]}"'
        )
    if action in ("index", "show", "remove") and not names:
        example = "FILE" if action == "index" else "NAME"
        raise UsageError(f"flows functions {action} needs one more, as: {action} {example}")
    if action == "search" and (len(names) == 1) == (batch is not None):
        raise UsageError(
            'a search takes one question in quotes, as: flows functions search "QUESTION", or '
            "--batch FILE"
        )
    if batch is not None and action != "search":
        raise UsageError("--batch is of a search, as: flows functions search --batch FILE")


def tell_stats(table: Path, user: str, channel: str, *, as_json: bool) -> None:
    """Print what each function does to the confidence of answers."""
    from flows.cli.output import write_json
    from flows.services.responses import function_stats
    from flows.ui.console import make_console
    from flows.ui.function_stats import show_stats

    found = function_stats(table, user=user, channel=channel)
    if as_json:
        write_json({"functions": [each.model_dump() for each in found]})
    else:
        show_stats(make_console(), found)


def tell_indexed(indexed: Indexed, total: int, *, as_json: bool) -> int:
    """Say what is indexed, and what is wrong with the functions that are left out."""
    from flows.cli.output import write_json

    change, faults = indexed.change, indexed.faults
    if as_json:
        write_json(
            {
                "added": change.added, "changed": change.changed, "unchanged": change.unchanged,
                "embedded": indexed.embedded, "functions": total,
                "faults": [str(each) for each in faults],
            }
        )  # fmt: skip
    else:
        told = f"{change.added} added, {change.changed} changed, {change.unchanged} unchanged"
        vectors = f", {indexed.embedded} embedded" if indexed.embedded else ""
        print(f"{told}{vectors}; the index has {total} functions")
        for each in faults[:MOST_FAULTS]:
            tell(f"left out: {each}")
        if len(faults) > MOST_FAULTS:
            tell(f"left out: {len(faults) - MOST_FAULTS} more")
    return WRONG if faults else 0


async def search(
    service: FunctionService,
    question: str,
    k: int,
    function_class: FunctionClass,
    namespace: str,
    *,
    as_json: bool,
) -> None:
    """Print the functions that fit the question."""
    from flows.cli.output import write_json
    from flows.services.functions import found_function
    from flows.ui.console import make_console
    from flows.ui.functions import show_matches

    found = await service.search(question, k, function_class, namespace)
    matches = [found_function(each) for each in found]
    if as_json:
        write_json(answer_of(question, matches))
    else:
        show_matches(make_console(), matches)


async def search_batch(
    service: FunctionService,
    batch: Path,
    k: int,
    function_class: FunctionClass,
    namespace: str,
) -> None:
    """Print a line of JSON for each question of a file."""
    from flows.cli.output import write_json
    from flows.services.functions import found_function, read_questions

    with opened(batch) as lines:
        for each in read_questions(lines, str(batch)):
            found = await service.search(each.text, k, function_class, namespace)
            matches = [found_function(match) for match in found]
            write_json({"id": each.id, **answer_of(each.text, matches)}, quiet=False)


def answer_of(question: str, matches: list[Any]) -> dict[str, Any]:
    """A search as JSON: the names in their order, and each with its score."""
    return {
        "question": question,
        "ranked": [each.name for each in matches],
        "matches": [each.model_dump() for each in matches],
    }


async def show(service: FunctionService, names: list[str], *, as_json: bool) -> None:
    """Print functions with their arguments; as JSON in OpenAI's form, with what is beside it."""
    from flows.cli.output import write_json
    from flows.ui.console import make_console
    from flows.ui.functions import show_function

    for name in names:
        found = await service.find(name)
        if as_json:
            beside = found.model_dump(mode="json", exclude={"name", "description", "parameters"})
            write_json({"id": found.id, **found.function_dict(), **beside})
        else:
            show_function(make_console(), found)


async def remove(service: FunctionService, names: list[str], *, as_json: bool) -> None:
    from flows.cli.output import write_json

    ids = [(await service.find(each)).id for each in names]
    await service.index.remove(ids)
    if as_json:
        write_json({"removed": ids})
    else:
        print("\n".join(f"{each}: removed" for each in ids))


async def show_list(
    service: FunctionService, function_class: FunctionClass, namespace: str, *, as_json: bool
) -> None:
    """Print all functions: name, text, namespace, class, id."""
    from flows.cli.output import write_json
    from flows.ui.console import make_console
    from flows.ui.functions import show_functions

    found = await service.index.descriptions(function_class, namespace)
    if as_json:
        keys = {"name", "description", "namespace", "function_class"}
        rows = [{"id": each.id, **each.model_dump(mode="json", include=keys)} for each in found]
        write_json({"functions": rows})
    else:
        show_functions(make_console(), found)


@contextmanager
def opened(batch: Path) -> Iterator[TextIO]:
    """The file of questions; `-` is standard input. Errors: `UsageError`."""
    from flows.errors import UsageError

    if str(batch) == "-":
        yield sys.stdin
        return
    try:
        lines = batch.open(encoding="utf-8-sig")
    except OSError as error:
        raise UsageError(f"{batch} cannot be read: {error}") from error
    with lines:
        yield lines


def tell(text: str) -> None:
    """Say something beside the result, on standard error."""
    from flows.ui.console import make_console
    from flows.ui.terminal_text import clean

    make_console(to_stderr=True).print(clean(text), markup=False, highlight=False, soft_wrap=True)
