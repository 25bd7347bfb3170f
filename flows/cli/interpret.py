"""`flows interpret`: a question, answered with functions that are searched for it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from flows.cli.arguments import Events, Model, Trust, is_override

if TYPE_CHECKING:
    from flows.services.interpreter import Interpreter


def interpret(
    question: Annotated[
        str | None, typer.Argument(metavar="QUESTION", show_default=False, help="In words.")
    ] = None,
    given: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FILE|OVERRIDE]...",
            show_default=False,
            help="A run file whose flow is an interpreter; max_turns=5 model.base_url=...",
        ),
    ] = None,
    functions: Annotated[
        list[str] | None,
        typer.Option(
            help="Functions that it may search: an OpenAPI document, a Python file, or the "
            "dotted name of a module, which needs --trust; may be given more than once.",
            metavar="FILE|MODULE",
        ),
    ] = None,
    model: Model = None,
    user: Annotated[str, typer.Option(help="Who asks, for flows functions stats.")] = "",
    channel: Annotated[str, typer.Option(help="Where it is asked.")] = "",
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON object on stdout; progress goes to stderr.")
    ] = False,
    events: Events = None,
    trust: Trust = None,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show inner steps too.")] = False,
) -> int:
    """Answer a question with functions that are searched for it.

    The functions come from the key functions of the run file: APIs, Python modules, stores, MCP
    servers. Each value of the answer points to the call and the place in its result that it comes
    from; what no function tells is said. How sure it is goes from 0 to 100.

    Examples:

      flows interpret "What is the total of order KT-2011?" shop.yaml
      flows interpret "What is the total of order KT-2011?" --functions my_shop.py
      flows interpret "Which orders are late?" shop.yaml --model openai --json

    Exit codes:

        0  answered, or in part
        1  it cannot be answered, and it is said why
        2  wrong usage or config
        3  the model provider
        4  it failed
       75  it asks you, and nobody is there: flows resume RUN --answer "..." goes on
      130  Ctrl-C
    """
    from flows.cli.ask import ABSTAINED
    from flows.cli.show import Show
    from flows.errors import UsageError
    from flows.services.interpreter import Interpreter, InterpreterResponse
    from flows.ui.ending import show_result

    if question is None or not question.strip():
        raise UsageError('there is no question; as: flows interpret "..." FILE')
    with Show(as_json=as_json, verbose=verbose, events=events) as show:
        agent = _agent(Interpreter, given or [], functions or [], model, trust or [], show)
        result = agent.run(question, user=user, channel=channel)
        response = InterpreterResponse.of(result)
        show_result(show.console, result)
        if as_json:
            show.write(response.as_json())
    if result.exit_code:
        return result.exit_code
    return ABSTAINED if response.status == "abstained" else 0


def _agent(
    kind: type[Interpreter],
    given: list[str],
    functions: list[str],
    model: str | None,
    trust: list[str],
    show: Any,
) -> Interpreter:
    """The agent that the command line describes. Errors: `UsageError`."""
    from flows.errors import UsageError
    from flows.human.confirm import somebody_is_there

    files = [each for each in given if not is_override(each)]
    if len(files) > 1:
        raise UsageError(
            f"only one run file can be given, not {', '.join(files)}; a question of several words "
            "has to stand in quotes"
        )
    return kind(
        file=Path(files[0]) if files else None,
        model=model,
        overrides=[each for each in given if is_override(each)],
        sources=functions,
        person=None if files else "terminal" if somebody_is_there() else "detached",
        trust=trust,
        listeners=show.listeners,
    )
