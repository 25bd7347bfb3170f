"""JSON of callers: what is no JSON is refused with its place."""

from __future__ import annotations

import pytest

from flows.errors import ConfigError
from flows.web.server.body import read_json


def test_a_value_is_read_as_it_is() -> None:
    assert read_json(b'{"a": [1, 2.5, null, "\\u00e9"]}') == {"a": [1, 2.5, None, "é"]}
    assert read_json(b" ") == {}


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b'{"a": NaN}', "NaN is no number"),
        (b"[-Infinity]", "-Infinity is no number"),
        (b"[1e999]", "1e999 is too large"),
        (b'{"a": 1, "a": 2}', "'a' stands twice"),
        (b'{"a": 1,}', "line 1, column"),
        (b"\xff", "not UTF-8"),
        (b"[" * 100_000, "nested too deeply"),
        (b'"\\ud800"', "surrogates"),
        (b"9" * 5_000, "digits"),
    ],
)
def test_what_is_no_json_is_refused(body: bytes, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        read_json(body)
