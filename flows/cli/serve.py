"""`flows serve`: flows over HTTP, for programs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.cli.arguments import (
    Address,
    BehindTlsProxy,
    Data,
    HostNames,
    Model,
    Port,
    TlsCertificate,
    TlsKey,
    Trust,
)

if TYPE_CHECKING:
    import signal

    from flows.services.hosting.hosted_flow import HostedFile
    from flows.services.hosting.live_run import RunListener
    from flows.services.hosting.service import RunService
    from flows.web.server.access import Token
    from flows.web.server.application import Door
    from flows.web.server.listening import ListenAddress

MODULES = ("fastapi", "uvicorn")


def serve(
    arguments: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE... [OVERRIDE]...",
            show_default=False,
            help="Run files, or names of built-in configs; and changes of all of them.",
        ),
    ],
    address: Address = "127.0.0.1",
    port: Port = 8000,
    data: Data = None,
    model: Model = None,
    at_once: Annotated[int, typer.Option(min=1, help="Runs at the same time, at most.")] = 1_000,
    queue: Annotated[
        int, typer.Option(min=0, help="Runs that may wait for their turn; more are refused.")
    ] = 1_000,
    tls_cert: TlsCertificate = None,
    tls_key: TlsKey = None,
    behind_tls_proxy: BehindTlsProxy = False,
    host_name: HostNames = None,
    trust: Trust = None,
) -> int:
    """Serve flows to programs over HTTP: runs, their events, questions and artifacts.

    Each run file is a flow, by the name of its file. The first line on standard output is the
    address. GET /openapi.json there describes all of it, with the inputs of each flow.

    Callers send a token: Authorization: Bearer TOKEN. It is in the environment: FLOWS_TOKEN is one
    that may do all, FLOWS_TOKENS several in JSON, each with name, token, scopes (run, read,
    answer) and limits (per_minute, open_runs). Without either one is made for this process, and
    said on standard error. An address that others reach needs tokens, and TLS.

    Clients of OpenAI's API use the address with /v1: each flow is a model (docs/openai.md).

    No run is lost: one that is under way when the process ends goes on with the next start of
    the same files. What the service keeps is in .flows/service.

    Examples:

      flows serve my.yaml
      flows serve sales.yaml stock.yaml --port 0 human=never
      flows serve ask --data sales.csv
      flows serve my.yaml --address 0.0.0.0 --tls-cert cert.pem --tls-key key.pem

    Exit codes:

        0  it was told to terminate
        2  wrong usage or config, an address that cannot be used
      130  Ctrl-C
    """
    import asyncio
    import signal

    from flows.cli.signals import CTRL_C

    need_packages("flows serve")
    from flows.web.api.door import api_door
    from flows.web.openai.door import openai_door
    from flows.web.server.access import read_tokens
    from flows.web.server.listening import ListenAddress

    tokens = read_tokens()
    place = ListenAddress(
        address, port, tls_cert, tls_key, behind_tls_proxy, tuple(host_name or ())
    )
    place.check(has_tokens=bool(tokens))
    files = hosted_files(arguments, data, model)
    going = serve_doors(
        files, place, tokens,
        lambda service: (api_door(service, trust or ()), openai_door(service)),
        trust=trust or (), at_once=at_once, queue=queue,
    )  # fmt: skip
    return CTRL_C if asyncio.run(going) == signal.SIGINT else 0


async def serve_doors(
    files: Sequence[HostedFile],
    place: ListenAddress,
    tokens: Sequence[Token],
    doors: Callable[[RunService], Sequence[Door]],
    *,
    trust: Sequence[str],
    at_once: int,
    queue: int,
    path: str = "",
) -> signal.Signals:
    """Serve run files by these doors until a signal comes, and return which. The first line on
    standard output is the address, with the `path` of what is looked for there."""
    from flows.cli.reserved_stdout import reserved_stdout
    from flows.services.hosting.open_service import STATE, open_service
    from flows.services.hosting.serving_process import write_address
    from flows.web.server.access import Keyring, Token, new_token
    from flows.web.server.application import make_application
    from flows.web.server.guard import GuardRules
    from flows.web.server.listening import listen

    with place.bind() as bound, reserved_stdout() as stdout, run_listeners() as listeners:
        port = bound.getsockname()[1]
        async with open_service(
            files, trust=trust, at_once=at_once, queue=queue, listeners=listeners
        ) as service:
            if not tokens:
                made = new_token()
                tokens = [Token(name="made", token=made)]
                print(
                    f"no FLOWS_TOKEN is set; the token of this process is {made}", file=sys.stderr
                )
            rules = GuardRules(Keyring(tokens), place.hosts(port), place.scheme)
            application = make_application(service, doors(service), rules)
            await tell_recovered(service)

            def begun() -> None:
                url = f"{place.url(port)}{path}"
                write_address(STATE, service.store.owner, url, "mcp" if path else "api")
                stdout.write_line(url)

            return await listen(application, place, bound, begun=begun, ending=service.stop)


async def tell_recovered(service: RunService) -> None:
    """Go on with what an ended process left, and say how much that is."""
    if count := await service.recover():
        print(f"{count} runs go on that were under way", file=sys.stderr, flush=True)


@contextmanager
def run_listeners() -> Iterator[Callable[[], Sequence[RunListener]]]:
    """What each run is given to tell its events to: spans, where OpenTelemetry is set up."""
    from flows.cli.telemetry import open_telemetry

    telemetry = open_telemetry()
    if telemetry is None:
        yield tuple
        return
    try:
        yield lambda: (telemetry.another(),)
    finally:
        telemetry.close()


def need_packages(command: str, modules: Sequence[str] = MODULES, extra: str = "web") -> None:
    """Errors: `ConfigError` that names the extra without which nothing is served."""
    from flows.config.packages import missing_module, needed
    from flows.errors import ConfigError

    if missing_module(modules):
        raise ConfigError(needed(command, f"'analyst-flows[{extra}]'"))


def hosted_files(
    arguments: Sequence[str], data: Sequence[str] | None, model: str | None
) -> list[HostedFile]:
    """The run files that the arguments name, each with the overrides among them, the data and the
    model. Errors: `UsageError`, `ConfigError`."""
    from flows.cli.arguments import is_override
    from flows.errors import UsageError
    from flows.services.hosting.hosted_flow import HostedFile
    from flows.services.model_choice import read_model
    from flows.services.sources import read_sources, source_names

    overrides = tuple(each for each in arguments if is_override(each))
    files = [each for each in arguments if not is_override(each)]
    if not files:
        raise UsageError("no run file is named")
    given = [each.setting for each in read_sources(data or (), source_names(overrides))]
    choice = read_model(model)
    settings = (*given, *(choice.settings() if choice is not None else ()))
    return [HostedFile(Path(each), overrides, settings) for each in files]
