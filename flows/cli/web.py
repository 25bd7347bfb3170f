"""`flows web`: the page."""

from __future__ import annotations

import sys
from collections.abc import Sequence
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
from flows.cli.serve import hosted_files, need_packages, run_listeners, tell_recovered

if TYPE_CHECKING:
    from flows.services.hosting.chats import ChatData
    from flows.services.hosting.hosted_flow import HostedFile
    from flows.web.server.listening import ListenAddress


def web(
    arguments: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FILE]... [OVERRIDE]...",
            show_default=False,
            help="Run files, or names of built-in configs; and changes of all of them.",
        ),
    ] = None,
    data: Data = None,
    model: Model = None,
    port: Port = 8000,
    address: Address = "127.0.0.1",
    tls_cert: TlsCertificate = None,
    tls_key: TlsKey = None,
    behind_tls_proxy: BehindTlsProxy = False,
    host_name: HostNames = None,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Open no browser; the address is printed.")
    ] = False,
    trust: Trust = None,
) -> int:
    """Open the page: talk about data, run flows and watch them, look at their runs.

    Chat answers questions about the data that --data names, and about files that are dropped
    there. Flows shows each run file with its graph, and a form for its inputs; what a run asks
    is answered in the page. Runs has all runs of the folder, those of the command line too.

    The first line on standard output is the address, with a token that opens the page once: the
    browser keeps a cookie for it. Only this machine can reach it, if no other --address is given,
    which needs TLS. A run that is under way when the process ends goes on with the next start.

    Examples:

      flows web
      flows web --data sales.csv
      flows web demo.yaml --no-browser
      flows web autogpt analyst --data sales.csv --port 0

    Exit codes:

        0  it was told to terminate
        2  wrong usage or config, a port that is taken
      130  Ctrl-C
    """
    import asyncio
    import signal

    from flows.cli.arguments import is_override
    from flows.cli.signals import CTRL_C

    need_packages("flows web")
    from flows.web.server.listening import ListenAddress

    place = ListenAddress(
        address, port, tls_cert, tls_key, behind_tls_proxy, tuple(host_name or ())
    )
    place.check(has_tokens=True)
    given = arguments or []
    named = any(not is_override(each) for each in given)
    files = hosted_files(given, data, model) if named else []
    chats = _chat_data([] if named else given, data, model, trust or [])
    going = _serve(files, chats, place, trust or [], browser=not no_browser)
    return CTRL_C if asyncio.run(going) == signal.SIGINT else 0


def _chat_data(
    overrides: Sequence[str],
    data: Sequence[str] | None,
    model: str | None,
    trust: Sequence[str],
) -> ChatData:
    """What every conversation is about. Overrides are those of conversations only where no run
    file is named that they are of."""
    from flows.services.hosting.chats import ChatData
    from flows.services.model_choice import read_model
    from flows.services.request import Options
    from flows.services.sources import check_sources, read_sources

    sources = read_sources(data or ())
    check_sources(sources)
    options = Options(tuple(overrides), read_model(model), trust=tuple(trust))
    return ChatData(sources, options)


async def _serve(
    files: Sequence[HostedFile],
    data: ChatData,
    place: ListenAddress,
    trust: Sequence[str],
    *,
    browser: bool,
) -> int:
    from flows.cli.reserved_stdout import reserved_stdout
    from flows.services.case import RUNS
    from flows.services.hosting.chats import ChatSessions
    from flows.services.hosting.open_service import STATE, open_service
    from flows.services.hosting.serving_process import write_address
    from flows.web.api.door import api_door
    from flows.web.page.assets import closed_page
    from flows.web.page.door import page_door
    from flows.web.server.access import Keyring, new_token
    from flows.web.server.application import make_application
    from flows.web.server.guard import TOKEN_QUERY, GuardRules
    from flows.web.server.listening import listen

    with place.bind() as bound, reserved_stdout() as stdout, run_listeners() as listeners:
        port = bound.getsockname()[1]
        async with open_service(files, trust=trust, listeners=listeners) as service:
            service.runs.add_folder(Path(RUNS))
            chats = ChatSessions(service, STATE, data)
            once = new_token()
            cookie = (f"flows-{port}", service.store.secret("page"))
            keyring = Keyring(cookie=cookie, once=once)
            rules = GuardRules(keyring, place.hosts(port), place.scheme, closed=closed_page())
            doors = [api_door(service, trust), page_door(service, chats)]
            application = make_application(service, doors, rules)
            await chats.prepare()
            await chats.recover()
            await tell_recovered(service)

            def begun() -> None:
                write_address(STATE, service.store.owner, place.url(port), "page")
                address = f"{place.url(port)}/?{TOKEN_QUERY}={once}"
                stdout.write_line(address)
                if browser:
                    _open_browser(address)

            return await listen(application, place, bound, begun=begun, ending=service.stop)


def _open_browser(address: str) -> None:
    """Open the page, where there is a browser. What a browser prints is not for this terminal."""
    import webbrowser

    if not webbrowser.open(address):
        print("no browser was found: open the address above", file=sys.stderr)
