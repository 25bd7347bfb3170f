"""`flows entities`: what is known of things by their keys."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.cli.arguments import AsJson, Trust

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flows.memory.entities.stores import EngineStore
    from flows.services.entities import LoadedType

ACTIONS = ("list", "get", "load", "refresh")
NOT_THERE = 1


def entities(
    action: Annotated[
        str, typer.Argument(metavar="ACTION", help="list, get, load or refresh.")
    ] = "list",
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="KEY|FILE",
            help="Keys to get, files to load; or the file that says how to refresh, and overrides.",
            show_default=False,
        ),
    ] = None,
    store: Annotated[
        str,
        typer.Option(
            help="A file, or redis://HOST:PORT/DATABASE#NAME, with the password in REDIS_PASSWORD.",
            metavar="STORE",
        ),
    ] = ".flows/entities.sqlite3",
    type_: Annotated[
        str,
        typer.Option("--type", help="The type to get; or of lines that name none.", metavar="TYPE"),
    ] = "",
    related: Annotated[
        bool, typer.Option("--related", help="With what the entities are related to.")
    ] = False,
    replace: Annotated[
        bool, typer.Option("--replace", help="In the place of all that the types had, at once.")
    ] = False,
    hint: Annotated[
        str, typer.Option(help="What agents are told of the types, with --replace.")
    ] = "",
    ttl: Annotated[
        float | None,
        typer.Option(help="Seconds after which they are gone.", min=0.001, show_default=False),
    ] = None,
    every: Annotated[
        str,
        typer.Option(
            help="refresh again and again, as 15m or 2h; 0 once, whatever the file says.",
            metavar="INTERVAL",
        ),
    ] = "",
    trust: Trust = None,
    as_json: AsJson = False,
) -> int:
    """Look up, load and refresh entities: what is known of things by their keys.

    A file to load is JSON lines, {"type": "style", "key": "KT-2011", "values": {...}, "relations":
    [{"name": "body", "key": "B-77"}], "hint": "..."}. refresh takes a YAML file that says which
    tables the types come from, and may run as often as you like: all types are replaced at once,
    and stay as they are if something is wrong. With --every, or the key every of the file, it goes
    on until Ctrl-C; docs/stores.md shows one.

    Examples:

      flows entities load styles.jsonl
      flows entities load styles.jsonl --type style --replace
      flows entities refresh entities.yaml
      flows entities refresh entities.yaml --every 15m
      flows entities
      flows entities get KT-2011 KT-2012 --related
      flows entities get KT-2011 --store redis://127.0.0.1:6379/0 --json

    Exit codes: 0; 1 a key is not there; 2 wrong usage, or a file that is wrong; 4 the store cannot
    be used; 130 Ctrl-C, with the entities of before.
    """
    from flows.services.entities import load_files, open_store

    given = list(names or ())
    check_usage(action, given, hint=hint, replace=replace, every=every)
    if action == "refresh":
        refresh(given, trust or (), every, as_json=as_json)
        return 0
    opened = open_store(store)
    try:
        match action:
            case "list":
                show_types(opened, as_json=as_json)
                return 0
            case "get":
                types = [type_] if type_ else []
                return show_entities(opened, given, types, related=related, as_json=as_json)
            case _:
                files = [Path(each) for each in given]
                done = load_files(opened, files, type_=type_, replace=replace, hint=hint, ttl_s=ttl)
                show_loaded(done, as_json=as_json)
                return 0
    finally:
        opened.engine.close()


def refresh(given: Sequence[str], trust: Sequence[str], every: str, *, as_json: bool) -> None:
    """Refresh once, or again and again. Errors: `UsageError` for what is no interval."""
    from flows.config.interval import seconds_of
    from flows.errors import UsageError
    from flows.services.entity_schedule import RefreshSchedule
    from flows.ui.console import make_console

    try:
        interval = seconds_of(every) if every else None
    except ValueError as error:
        raise UsageError(f"--every: {error}") from error

    def tell(text: str) -> None:
        console = make_console(to_stderr=True)
        console.print(text, markup=False, highlight=False, soft_wrap=True)

    schedule = RefreshSchedule(Path(given[0]), given[1:], trust, interval, tell)
    for done in schedule.turns():
        show_loaded(done, as_json=as_json)
        sys.stdout.flush()


def check_usage(action: str, names: Sequence[str], *, hint: str, replace: bool, every: str) -> None:
    """Errors: `UsageError` for an action that there is not, and for names that it does not take."""
    from flows.errors import UsageError, nearest

    if action not in ACTIONS:
        meant = nearest(action, ACTIONS)
        told = f"\ndid you mean: {meant}" if meant else ""
        raise UsageError(f"there is no action {action!r}{told}\nallowed: {', '.join(ACTIONS)}")
    if action == "list" and names:
        raise UsageError(f"flows entities list takes no name; as in: flows entities get {names[0]}")
    if hint and not (action == "load" and replace):
        raise UsageError("--hint is said of all of a type: flows entities load FILE --replace")
    if every and action != "refresh":
        raise UsageError("--every is of a refresh: flows entities refresh FILE.yaml --every 15m")
    if action != "list" and not names:
        what = {"get": "KEY", "load": "FILE.jsonl", "refresh": "FILE.yaml"}[action]
        raise UsageError(f"flows entities {action} takes a name: flows entities {action} {what}")


def show_types(store: EngineStore, *, as_json: bool) -> None:
    """The types of the store, how many entities each has and some of their keys."""
    from flows.cli.output import write_json
    from flows.ui.entities import types_text

    found = store.engine.types()
    if as_json:
        write_json({"types": [each.model_dump(mode="json") for each in found]})
    else:
        print(types_text(found))


def show_entities(
    store: EngineStore, keys: Sequence[str], types: Sequence[str], *, related: bool, as_json: bool
) -> int:
    """The entities of the keys; 1 if one is not there."""
    from flows.cli.output import write_json
    from flows.memory.entities.lookup import find_entities, find_related
    from flows.ui.entities import entity_text, missing_text

    found = find_entities(store.engine, keys, types)
    near = {
        (each.type, each.key): find_related(store.engine, each.key, each.type, "", 100)
        for each in found.records
        if related
    }
    if as_json:
        shown = [
            {"type": type_, "key": key, "related": [each.model_dump(mode="json") for each in of_it]}
            for (type_, key), of_it in near.items()
        ]
        write_json({**found.model_dump(mode="json"), **({"related": shown} if related else {})})
    else:
        for record in found.records:
            print(entity_text(record, near.get((record.type, record.key), ())))
        for missing in found.missing:
            print(missing_text(missing))
    return NOT_THERE if found.missing else 0


def show_loaded(done: Sequence[LoadedType], *, as_json: bool) -> None:
    """How many entities of each type there are now."""
    from dataclasses import asdict

    from flows.cli.output import write_json
    from flows.ui.entities import loaded_text

    if as_json:
        write_json({"types": [asdict(each) for each in done]})
    else:
        for each in done:
            print(loaded_text(each.type, each.entities, each.rows, each.without_key))
