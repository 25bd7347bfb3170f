"""No key or default changes unseen: `keys.txt` lists them all."""

from __future__ import annotations

from tests.config.keys import LIST, keys


def test_every_change_of_a_key_or_default_is_in_the_list() -> None:
    assert keys() == LIST.read_text(encoding="utf-8"), (
        "if the change of a key, type or default is meant: python -m tests.config.keys"
    )
