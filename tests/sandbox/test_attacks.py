"""No attack gets through, as root or without any rights; without walls most do."""

from __future__ import annotations

import functools
import json
import os
import re
import subprocess
import sys
from dataclasses import asdict

import pytest
from pydantic import TypeAdapter

from flows.sandbox import bubblewrap
from flows.sandbox.canaries import CANARIES
from flows.sandbox.keeper import ALL_LAYERS
from tests.cli.command import PROJECT
from tests.sandbox import nobody
from tests.sandbox.attacks import ATTACKS, ON_THE_HOST, by_category
from tests.sandbox.known import ALONE, WITHOUT_BUBBLEWRAP
from tests.sandbox.suite import Order, Result
from tests.sandbox.world import is_known_machine

pytestmark = [
    pytest.mark.skipif(not is_known_machine(), reason="the attacks speak to Linux on x86_64"),
    pytest.mark.timeout(300),
]
USERS = ("a user without rights", "root")
LONG = pytest.mark.long("two hundred attacks, each behind walls of its own")
LEAST_SUCCESS = 0.70


@functools.cache
def why_not(user: str) -> str:
    if user == "root":
        return "" if os.getuid() == 0 else "these tests do not run as root"
    return nobody.why_not()


@functools.cache
def why_no_bubblewrap() -> str:
    try:
        bubblewrap.state()
    except OSError as error:
        return str(error)
    return ""


def attack(user: str, *orders: Order) -> list[list[Result]]:
    """Run the attacks of each order as that user, or skip the test."""
    if reason := why_not(user):
        pytest.skip(reason)
    given = json.dumps([asdict(each) for each in orders])
    arguments = ("-m", "tests.sandbox.suite", given)
    command = [sys.executable, *arguments] if user == "root" else nobody.command(*arguments)
    done = subprocess.run(
        command, cwd=PROJECT, input="nothing\n", capture_output=True, text=True, timeout=280,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-4000:]
    return TypeAdapter(list[list[Result]]).validate_json(done.stdout.splitlines()[-1])


def every(layers: tuple[str, ...]) -> tuple[Order, Order]:
    """All attacks: those on limits where they are low, so that each tries to take more than it may;
    the others where a process has imported only what its code mentions."""
    limited = "limits"
    others = tuple(each for each in by_category() if each != limited)
    return Order(layers=layers, only=(limited,)), Order(layers=layers, only=others, memory_mb=2048)


def through(results: list[Result]) -> dict[str, str]:
    """How those that got through did, by category and name."""
    return {f"{each.category}: {each.name}": each.told for each in results if each.through}


def test_there_are_many_attacks_of_many_kinds() -> None:
    assert len(ATTACKS) >= 200
    assert len(by_category()) == 14
    assert len({(each.category, each.name) for each in ATTACKS}) == len(ATTACKS)


def test_the_page_tells_the_same() -> None:
    page = (PROJECT / "docs" / "sandbox.md").read_text(encoding="utf-8")
    assert f"holds {len(ATTACKS)} attacks" in page
    assert f"runs {len(CANARIES)} small attacks" in page
    rows = re.findall(r"^\| ([a-z ]+) \| (\d+) \|", page, re.MULTILINE)
    assert {name: int(count) for name, count in rows} == by_category()
    walls = re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)
    assert set(walls) == set(ALL_LAYERS)
    assert f"at least {LEAST_SUCCESS:.0%}".replace("%", " %") in page


@LONG
@pytest.mark.parametrize("user", USERS)
def test_no_attack_gets_through(user: str) -> None:
    if reason := why_no_bubblewrap():
        pytest.skip(reason)
    results = [each for some in attack(user, *every(ALL_LAYERS)) for each in some]
    assert len(results) == len(ATTACKS)
    assert through(results) == {}


@LONG
@pytest.mark.parametrize("user", USERS)
def test_without_bubblewrap_only_what_is_known_gets_through(user: str) -> None:
    layers = tuple(each for each in ALL_LAYERS if each != "bubblewrap")
    results = [each for some in attack(user, *every(layers)) for each in some]
    assert len(results) == len(ATTACKS)
    found = through(results)
    assert set(found) <= WITHOUT_BUBBLEWRAP, found


@LONG
@pytest.mark.parametrize("user", USERS)
def test_the_attacks_are_not_blind(user: str) -> None:
    kinds = tuple(each for each in by_category() if each not in ON_THE_HOST)
    # Many of them end the process that forks: the next imports only what its code mentions.
    [results] = attack(user, Order(mode="off", only=kinds, memory_mb=2048))
    share = len(through(results)) / len(results)
    assert share >= LEAST_SUCCESS, sorted(each.name for each in results if not each.through)


def check_alone(user: str, names: tuple[str, ...]) -> None:
    """Each of a layer's attacks gets through without a wall, and not with this one only."""
    orders = [Order(layers=raised(each), only=ALONE[each]) for each in names]
    every = tuple(attack for each in names for attack in ALONE[each])
    free, *held = attack(user, Order(mode="off", only=every), *orders)
    assert {each.name for each in free if each.through} == set(every)
    stopped = {name: through(each) for name, each in zip(names, held, strict=True)}
    assert not any(stopped.values()), stopped


def raised(layer: str) -> tuple[str, ...]:
    """The layer alone; two of them need a process that cannot gain privileges."""
    return ("no_new_privs", layer) if layer in ("landlock", "seccomp") else (layer,)


@LONG
def test_each_layer_stops_its_attacks_alone() -> None:
    without = {"capabilities", *(("bubblewrap",) if why_no_bubblewrap() else ())}
    check_alone(USERS[0], tuple(each for each in ALL_LAYERS if each not in without))


@LONG
def test_the_capabilities_that_root_gives_up_stop_their_attacks_alone() -> None:
    check_alone("root", ("capabilities",))
