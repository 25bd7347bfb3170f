"""`flows functions`: the index of functions that an agent searches."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from flows.cli.arguments import AsJson, Trust
from flows.cli.function_approval import approve
from flows.cli.function_output import (
    remove,
    search,
    search_batch,
    show,
    show_list,
    show_stats,
    tell_indexed,
)

if TYPE_CHECKING:
    from flows.core.function_store import FunctionClass
    from flows.services.functions import EmbedderName

ACTIONS: Final = ("list", "index", "search", "show", "remove", "stats", "approve")
CLASSES: Final = (
    "Any", "api", "entity", "VectorSearch", "ColumnarQuantitativeSearch", "flow", "python",
)  # fmt: skip
EMBEDDERS: Final = ("auto", "none", "minilm")


def functions(
    action: Annotated[
        str,
        typer.Argument(
            metavar="ACTION", help="list, index, search, show, remove, stats or approve."
        ),
    ] = "list",
    given: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="WHAT",
            help="Files to index; the question of a search; ids or names of functions; the run "
            "file of an approval.",
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
    log: Annotated[
        Path, typer.Option(help="stats: the table of an interpreter's answers.", metavar="FILE")
    ] = Path(".flows/responses.sqlite"),
    user: Annotated[str, typer.Option(help="stats: of answers to that person alone.")] = "",
    channel: Annotated[str, typer.Option(help="stats: of answers in that channel alone.")] = "",
    trust: Trust = None,
    yes: Annotated[
        bool, typer.Option("--yes", help="approve: all that is shown, without asking.")
    ] = False,
    as_json: AsJson = False,
) -> int:
    """Index, search, list and show functions: what an agent may load and call.

    Files are JSON lines of OpenAI's function dictionaries, OpenAPI 3 documents, or Python files, of
    which the text is read and nothing is run. A function of the same namespace and name is
    replaced, the same again is left as it is, and an index that was stopped goes on. Of unclear
    functions each is named with its place, and the others are indexed. stats tells which functions
    lower the confidence of an interpreter's answers. approve asks the MCP servers of a run file
    what they have changed since you allowed them, shows what each tool said before and says now,
    and notes what you approve. More: docs/functions.md.

    Examples:

      flows functions index tools.jsonl petstore.json our_functions.py
      flows functions index tools.jsonl --embedder minilm
      flows functions search "What is the weather in Oslo?" --k 3
      flows functions search --batch questions.jsonl --json
      flows functions list --class api
      flows functions show get_weather
      flows functions stats
      flows functions approve my.yaml
      flows functions approve my.yaml mail/send_letter --yes

    Exit codes: 0; 2 wrong usage, or a function that was left out; 75 a function waits for your yes.
    """
    import asyncio

    names = list(given or ())
    check_usage(action, names, batch, function_class, embedder)
    if action == "stats":
        show_stats(log, user, channel, as_json=as_json)
        return 0
    if action == "approve":
        return approve(names, trust or [], yes=yes, as_json=as_json)
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
    if action in ("list", "stats") and names:
        raise UsageError(
            f'flows functions {action} takes no name; as: flows functions search "{names[0]}"'
        )
    if action in ("index", "show", "remove", "approve") and not names:
        example = "FILE" if action in ("index", "approve") else "NAME"
        raise UsageError(f"flows functions {action} needs one more, as: {action} {example}")
    if action == "search" and (len(names) == 1) == (batch is not None):
        raise UsageError(
            'a search takes one question in quotes, as: flows functions search "QUESTION", or '
            "--batch FILE"
        )
    if batch is not None and action != "search":
        raise UsageError("--batch is of a search, as: flows functions search --batch FILE")
