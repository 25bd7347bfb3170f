"""`flows fake-model`: a server that plays a language model, as a script says."""

from __future__ import annotations

import json
import signal
import sys
import threading
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

if TYPE_CHECKING:
    from flows.models.fake.answer import ClientRequest, FakeAnswer
    from flows.models.fake.endpoints import EndpointName
    from flows.models.fake.player import Player

_SECRET_HEADERS = frozenset({"authorization", "proxy-authorization", "api-key", "cookie"})


def fake_model(
    script: Annotated[
        Path, typer.Argument(metavar="SCRIPT", help="A YAML file with turns.", show_default=False)
    ],
    port: Annotated[
        int, typer.Option(min=0, max=65_535, help="A port of this machine; 0 takes a free one.")
    ] = 0,
    log: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Add each request to it, as a line of JSON.", show_default=False
        ),
    ] = None,
) -> int:
    """Play a language model: replies, faults and delays, as a script says.

    It speaks OpenAI's chat completions, streamed or not, on this machine only. A script is a YAML
    file:

      turns:
        - {fault: rate_limited, retry_after: 2}
        - reply: {command: finish, command_args: {answer: "Done."}}

    Each request is answered by the first turn that is left and that matches it. Standard output
    gets one line, the base URL; standard error says which turn each request got, and at the end
    what was left. All keys and faults of a script: docs/fake-model.md.

    Examples:

      flows fake-model script.yaml
      flows fake-model script.yaml --port 8123 --log requests.jsonl
      OPENAI_BASE_URL=http://127.0.0.1:8123/v1 flows run model=openai

    Exit codes: 0 it was ended by a signal to terminate; 2 the script or an option is wrong, or the
    port is in use; 130 Ctrl-C.
    """
    from flows.models.fake.player import Player
    from flows.models.fake.script import read_script

    said = read_script(script)
    with ExitStack() as stack:
        _serve(Player(said), script, port, said.endpoint, _opened(log, stack))
    return 0


def _serve(
    player: Player, script: Path, port: int, endpoint: EndpointName, log: TextIO | None
) -> None:
    """Serve until a signal says to end. Errors: UsageError when the port cannot be had."""
    from flows.errors import UsageError
    from flows.models.fake.server import FakeModel

    def listen(request: ClientRequest, answer: FakeAnswer) -> None:
        _say(f"{request.method} {request.path}: {answer.note}")
        if log is not None:
            print(json.dumps(_logged(request, answer), ensure_ascii=False), file=log, flush=True)

    try:
        server = FakeModel(player, port=port, endpoint=endpoint, listen=listen)
    except OSError as error:
        raise UsageError(f"port {port} cannot be had: {error.strerror}") from error
    stopped = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stopped.set())
    try:
        with server:
            _say(f"{script} is played; Ctrl-C ends it. Use it with:")
            _say(f"  OPENAI_BASE_URL={server.base_url} flows run model=openai")
            print(server.base_url, flush=True)
            stopped.wait()
    finally:
        left = player.left()
        _say(f"not played: {', '.join(left)}" if left else "every turn was played")


def _opened(log: Path | None, stack: ExitStack) -> TextIO | None:
    from flows.errors import UsageError

    if log is None:
        return None
    try:
        return stack.enter_context(log.open("a", encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{log} cannot be written: {error.strerror}") from error


def _logged(request: ClientRequest, answer: FakeAnswer) -> dict[str, object]:
    """A request as a log holds it: all but what is secret."""
    headers = {
        name: "***" if name in _SECRET_HEADERS else value for name, value in request.headers.items()
    }
    return {
        "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "method": request.method,
        "path": request.path,
        "headers": headers,
        "body": request.body,
        "answered": answer.note,
    }


def _say(text: str) -> None:
    from flows.ui.terminal_text import clean

    print(clean(text), file=sys.stderr, flush=True)
