"""How the questions of a command line are worked on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from flows.services.request import DataQuestion, Options, Person

_EXAMPLES: Final = {
    "ask": 'flows ask "How many rows?" --data FILE',
    "analyse": 'flows analyse "What drives the yield?" --data FILE',
}


def options_of(
    overrides: Sequence[str],
    model: str | None,
    trust: Sequence[str] = (),
    *,
    asks_back: bool = True,
    learns: bool = False,
    by: str | None = None,
) -> Options:
    """The options for a command's arguments.

    With `asks_back` the person at the terminal is asked when something is not clear; with nobody
    there the run waits. With `learns` what is chosen goes into the glossary, which is made for it;
    else the glossary is read if there is one. Errors: `UsageError` for a model of another kind, or
    for a `by` that is no way to answer.
    """
    from typing import get_args

    from flows.errors import UsageError
    from flows.human.confirm import somebody_is_there
    from flows.library.blocks.sql import By
    from flows.semantics.readings import ENDING
    from flows.services.model_choice import read_model
    from flows.services.request import GLOSSARY, Options

    way: By | None = next((each for each in get_args(By) if each == by), None)
    if by is not None and way is None:
        raise UsageError(f"--by is {by!r}; it can be {', '.join(get_args(By))}")
    person: Person = "never"
    if asks_back:
        person = "terminal" if somebody_is_there() else "detached"
    known = GLOSSARY.is_file() or GLOSSARY.with_suffix(ENDING).is_file()
    glossary = GLOSSARY if learns or known else None
    return Options(tuple(overrides), read_model(model), person, glossary, tuple(trust), way)


def request_of(
    command: Literal["ask", "analyse"],
    question: str | None,
    data: list[str],
    overrides: list[str],
    docs: Path | None = None,
) -> DataQuestion:
    """The question of the command line. Errors: `UsageError` where it or its data are missing."""
    from flows.cli.mistakes import check_question
    from flows.errors import UsageError
    from flows.services.request import DataQuestion
    from flows.services.sources import read_sources, source_names

    check_question(command, question, overrides)
    if question is None or not question.strip():
        raise UsageError(f"there is no question; as: {_EXAMPLES[command]}")
    if command == "ask" and not data:
        raise UsageError("there is no data to ask; name it with --data PATH")
    documents = str(docs) if docs is not None else ""
    sources = read_sources(data, source_names(overrides))
    return DataQuestion(question, sources, documents, f"--docs {documents}")
