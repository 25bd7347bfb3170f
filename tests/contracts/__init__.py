"""Suites that every implementation of a protocol passes; each is a class that a test inherits."""

from pathlib import Path

import pytest

pytest.register_assert_rewrite(
    *(f"{__name__}.{each.stem}" for each in Path(__file__).parent.glob("[!_]*.py"))
)
