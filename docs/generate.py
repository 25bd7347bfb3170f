"""Writes the pages that are made from the code: `python docs/generate.py`."""

from __future__ import annotations

import os
from contextlib import redirect_stdout
from inspect import cleandoc
from io import StringIO
from pathlib import Path
from typing import get_args

from flows.cli.app import COMMANDS, run_app
from flows.core.events import Status
from flows.ui.event_lines import NAMES
from tests.library import cut_rows, reply_rows
from tests.library.aiflows.oracle import table as aiflows_cases
from tests.marks import marked
from tests.models import fault_rows, form_rows
from tests.times import known_times, table

DOCS = Path(__file__).parent
COLUMNS = "90"
HEAD = """# Commands

Made by `python docs/generate.py` from the help pages of the commands; do not edit it by hand.
"""
FAULTS = """# Faults of models and tools

Made by `python docs/generate.py` from the rows that the tests run; do not edit it by hand.

## Of a provider

What the model `openai` makes of it, streamed (as it is by default) and not, with at most three
attempts (`retry.attempts`). A run that ends with exit 3 goes on with `flows resume` from the step
that failed. Text that was shown is not taken back, so an attempt that gave some is not made again.
Each fault is one that `flows fake-model` plays by this name, see [fake-model.md](fake-model.md).

{faults}

## Of a form of reply that an endpoint does not take

A reply that is JSON is asked for with its schema (`response_format: json_schema`), strict where it
can be. An endpoint that refuses that is asked again at once, in JSON mode with the schema in it,
then in JSON mode, then by the prompt alone; so it is without usage in streams, and with the newer
name of `max_tokens`. What an endpoint and model refuse is known until the process ends. A schema
that is called invalid says nothing of others: it is sent as one that is not strict. `flows
fake-model` plays these by `endpoint`.

{forms}

`model.json_schema=off` sends no schema, `model.json_mode=off` leaves all to the prompt, and
`model.json_mode=on` never does without JSON mode. In all cases a reply is read and checked alike.

## Of a reply that was cut

A reply that its provider cut at a length limit or stopped by a content filter is never repaired
into a command, and no run ends `finished` with half a text. Who can ask again does so,
`corrections` times at most. After that the run is `degraded`, unless it comes to less, and its
reason names the chat: “the model's reply in Chat was cut at its length limit”.

{cuts}

## Of a controller's reply

A reply is read by a grammar that is a little wider than JSON's and guesses nothing. What cannot be
read goes back to the model with what is wrong, `corrections` times a round; after that the round
gets the problem as its observation. Of 5,000 mutated replies none runs another command than the
one that was meant: `tests/library/test_mutations.py` says how that is counted.

{replies}
"""
EVENTS = """# Events

Made by `python docs/generate.py` from `flows/core/events.py`; do not edit it by hand.

A run tells what it does as events. With `--events FILE`, `flows run`, `flows resume` and
`flows fork` append each to a file at once, as one line of JSON. `--events -` writes them to
standard output, and the progress goes to standard error. From Python,
`flows.run(path, listeners=[f])` calls `f` with each. As OpenTelemetry spans: [spans.md](spans.md).

Every line has these fields before its own:

| field | in JSON | what it is |
|---|---|---|
| `event` | text | the name, as in the headings below |
| `run` | text | the run's id |
| `seq` | number | from 1, without gaps; a resumed run counts anew |
| `address` | text | the step's path in the run, as `Executor#2/sql#1`; empty for the run itself |
| `round` | number | of the nearest circular flow, from 1; 0 outside of one |
| `at` | text | the time, at the end of the line: ISO 8601, UTC, milliseconds |

A new file is readable for its owner alone, for it holds what the run reads and writes. Secrets are
`***`. In values, bytes are URL-safe base64, sets are lists, NaN and the infinities are texts, and
what JSON cannot say is what Python calls it. A full disk or a reader that went away ends the lines
with a note, not the run; a pipe whose reader is slow makes the run wait.

{events}"""
TESTING = """# Testing

Made by `python docs/generate.py`; do not edit it by hand.

| command | what it runs | how long on two cores |
|---|---|---|
| `make check` | lint, types, and of the tests that reach what changed the nearest | a minute |
| `make test` | lint, types, and every test but those below | 4 to 6 minutes (5 is the aim) |
| `make long` | the tests that take long for a reason | 30 to 45 minutes |
| `make soak` | a thousand kills, ten thousand damages | hours, by hand |
| `make random` | as `make test`, in any order and with twice the workers | |
| `make times` | all but the soak, and notes where the time goes, for this page | |

CI runs `make test`, then `make long`. `make check` follows imports from each changed file to the
tests and runs the nearest, as many as take 40 s of processor time (`tests/times.json`);
`make check SINCE=main` is for all that changed since a revision.

## Which test goes where

A test belongs to `make test`. It is `long` if it takes a quarter of a second of processor time or
more and what it guards cannot be shown with less, or if it takes one path in a hundred forms: a
whole program killed again and again, an attack list under each user and each wall, a real browser,
a real team of agents at a terminal. Each says why in its mark, `@pytest.mark.long("why")`, and no
more than one test in five may be long. What takes over a minute is `soak`.

A test starts a process where being one is the promise: signals, exit codes, a terminal, an
environment. `tests/cli/command.py` forks commands from a process that has imported the product:
a command costs milliseconds and is a process all the same. Servers and finished runs are shared by
the tests of a file. No test measures time: it waits for what must happen, and its limit is the
product's own or a generous one.

## Where the time goes

The thirty files with the most processor time, from the last `make times`.

{times}

## Long tests

{long}

## Soak

{soak}
"""
CASES = """# Files of aiflows, case by case

Made by `python docs/generate.py` from the cases that the tests run; do not edit it by hand.

Each is a file that is run in aiflows 0.1.7 itself and here, with the same model. “The same” means
the same outputs, the same calls in the same order with the same inputs, and the same messages to
the model; or refused by both. FlowVerse's chat is not in the package: a chat that does what its
documentation says stands in for it, on the package's own prompts and backend.
[aiflows.md](aiflows.md) says why the others differ. `make long` runs them all:
`pytest tests/library/aiflows/test_oracle.py`.

{cases}"""
IN_JSON = {
    "str": "text",
    "int": "number",
    "float": "number",
    "bool": "true or false",
    "Mapping[str, Any]": "object",
    "Usage": "object",
    "Usage | None": "object or null",
    "tuple[Message, ...]": "list of objects",
    "tuple[ToolCall, ...]": "list of objects",
    "Status": ", ".join(f"`{each}`" for each in get_args(Status)),
}
ON_EVERY_LINE = ("run", "seq", "address", "round")


def commands_page() -> str:
    """The help pages of `flows` and of all its commands."""
    names = [command.__name__.replace("_", "-") for command in COMMANDS]
    sections = [section("flows", help_of())]
    sections += [section(f"flows {name}", help_of(name)) for name in names]
    return "\n".join([HEAD, *sections])


def faults_page() -> str:
    """What happens for each fault of a provider and each form of a reply, as the tests say it."""
    return FAULTS.format(
        faults=fault_rows.table(),
        forms=form_rows.table(),
        cuts=cut_rows.table(),
        replies=reply_rows.table(),
    )


def cases_page() -> str:
    """Each file that is run in aiflows and here."""
    return CASES.format(cases=aiflows_cases.page())


def events_page() -> str:
    """Every event as a line of `--events` has it."""
    return EVENTS.format(events="\n".join(event_section(kind) for kind in NAMES))


def testing_page() -> str:
    """How the tests are run, where their time goes, and which take long for which reason."""
    lists = {
        name: "\n".join(f"- `{each.file}`, `{each.test}`: {each.reason}" for each in marked(name))
        for name in ("long", "soak")
    }
    return TESTING.format(times=table(known_times(), 30), **lists)


def event_section(kind: type) -> str:
    types = {name: each.__forward_arg__ for name, each in kind.__annotations__.items()}
    own = [name for name in types if name not in ON_EVERY_LINE]
    rows = [f"| `{name}` | {IN_JSON[types[name]]} |" for name in own]
    text = " ".join(cleandoc(kind.__doc__ or "").split())
    return "\n".join([f"## {NAMES[kind]}\n", text, "\n| field | in JSON |\n|---|---|", *rows, ""])


def help_of(*words: str) -> str:
    """What `flows WORDS --help` prints to a pipe."""
    before = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = COLUMNS
    printed = StringIO()
    try:
        with redirect_stdout(printed):
            run_app([*words, "--help"])
    finally:
        if before is None:
            del os.environ["COLUMNS"]
        else:
            os.environ["COLUMNS"] = before
    lines = (line.rstrip() for line in printed.getvalue().strip().splitlines())
    return "\n".join(lines)


def section(title: str, text: str) -> str:
    return f"## {title}\n\n```text\n{text}\n```\n"


if __name__ == "__main__":
    from question_page import question_page

    (DOCS / "commands.md").write_text(commands_page(), encoding="utf-8")
    (DOCS / "aiflows-cases.md").write_text(cases_page(), encoding="utf-8")
    (DOCS / "faults.md").write_text(faults_page(), encoding="utf-8")
    (DOCS / "events.md").write_text(events_page(), encoding="utf-8")
    (DOCS / "testing.md").write_text(testing_page(), encoding="utf-8")
    (DOCS / "question.md").write_text(question_page(), encoding="utf-8")
