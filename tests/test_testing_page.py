"""`docs/testing.md` is what the marks and the last times say."""

from __future__ import annotations

import runpy

import pytest

from tests.cli.command import PROJECT
from tests.conftest import LONG
from tests.marks import marked


def test_the_page_on_testing_is_up_to_date() -> None:
    made = runpy.run_path(str(PROJECT / "docs" / "generate.py"))["testing_page"]()
    written = (PROJECT / "docs" / "testing.md").read_text(encoding="utf-8")
    assert made == written, "run: python docs/generate.py"


def test_each_long_test_says_why() -> None:
    for each in (*marked("long"), *marked("soak")):
        assert each.reason.strip(), each


def test_one_test_in_twelve_is_long_at_the_most(pytestconfig: pytest.Config) -> None:
    if LONG not in pytestconfig.stash:
        pytest.skip("only part of the tests is run")
    assert pytestconfig.stash[LONG] <= 1 / 12
