"""What `flows functions` prints."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TextIO

if TYPE_CHECKING:
    from flows.core.function_store import FunctionClass
    from flows.services.functions import FunctionService, IndexOutcome

MOST_FAULTS: Final = 50
WRONG: Final = 2


def tell_indexed(indexed: IndexOutcome, total: int, *, as_json: bool) -> int:
    """Say what is indexed, and what is wrong with the functions that are left out."""
    from flows.cli.output import write_json

    change, faults = indexed.change, indexed.faults
    if as_json:
        write_json(
            {
                "added": change.added, "changed": change.changed, "unchanged": change.unchanged,
                "embedded": indexed.embedded, "functions": total,
                "faults": [str(each) for each in faults], "notes": indexed.notes,
                "stale": indexed.stale,
            }
        )  # fmt: skip
    else:
        told = f"{change.added} added, {change.changed} changed, {change.unchanged} unchanged"
        vectors = f", {indexed.embedded} embedded" if indexed.embedded else ""
        print(f"{told}{vectors}; the index has {total} functions")
        tell_all("left out", [str(each) for each in faults])
        tell_all("note", indexed.notes)
        if indexed.stale:
            many = f"{len(indexed.stale):,} function{'s' * (len(indexed.stale) != 1)}"
            tell(
                f"{many} of before not in the files now, kept as before; to forget one: "
                "flows functions remove ID"
            )
            tell_all("kept", indexed.stale)
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


def show_stats(log: Path, user: str, channel: str, *, as_json: bool) -> None:
    """Print what each function does to the confidence of answers."""
    from flows.cli.output import write_json
    from flows.services.functions import function_stats
    from flows.ui.console import make_console
    from flows.ui.functions import show_function_stats

    found = function_stats(log, user, channel)
    if as_json:
        write_json({"functions": [each.model_dump() for each in found]})
    else:
        show_function_stats(make_console(), found)


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


def tell_all(what: str, texts: list[str]) -> None:
    """Say each on a line, and of many how many more there are."""
    for each in texts[:MOST_FAULTS]:
        tell(f"{what}: {each}")
    if len(texts) > MOST_FAULTS:
        tell(f"{what}: {len(texts) - MOST_FAULTS:,} more")


def tell(text: str) -> None:
    """Say something beside the result, on standard error."""
    from flows.ui.console import make_console
    from flows.ui.terminal_text import clean

    make_console(to_stderr=True).print(clean(text), markup=False, highlight=False, soft_wrap=True)
