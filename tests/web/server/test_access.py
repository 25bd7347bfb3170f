"""Tokens from the environment, and what they may do."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from flows.errors import UsageError
from flows.web.server.access import Access, Keyring, Token, read_tokens

LONG = "0123456789abcdef"


def test_tokens_are_read_from_two_variables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FLOWS_TOKEN", LONG)
    several = json.dumps([{"name": "a", "token": "a" * 16, "scopes": ["read"], "open_runs": 2}])
    (tmp_path / ".env").write_text(f"FLOWS_TOKENS='{several}'")
    found = read_tokens()
    assert [(each.name, each.scopes) for each in found] == [
        ("token", ("run", "read", "answer")),
        ("a", ("read",)),
    ]
    monkeypatch.delenv("FLOWS_TOKEN")
    (tmp_path / ".env").unlink()
    assert read_tokens() == []


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({"FLOWS_TOKEN": "short"}, "shorter than 16"),
        ({"FLOWS_TOKENS": "{"}, "FLOWS_TOKENS"),
        ({"FLOWS_TOKENS": f'[{{"name": "a", "token": "{LONG}", "scope": []}}]'}, "scope"),
        (
            {"FLOWS_TOKENS": f'[{{"name": "token", "token": "{LONG}"}}]', "FLOWS_TOKEN": LONG},
            "same",
        ),
    ],
)
def test_what_is_wrong_is_said_without_the_token(
    environment: dict[str, str], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(UsageError, match=said) as raised:
        read_tokens()
    assert LONG not in str(raised.value)


def test_a_token_of_an_address_is_good_once() -> None:
    ring = Keyring([Token(name="a", token=LONG)], cookie=("flows_1", "c" * 20), once="o" * 20)
    access = ring.by_token(LONG)
    assert access is not None
    assert access.name == "a"
    assert ring.by_token("") is None
    assert ring.by_token("é") is None
    assert not ring.exchange("wrong")
    assert ring.exchange("o" * 20)
    assert not ring.exchange("o" * 20)
    assert ring.by_cookie("c" * 20) is not None
    assert ring.by_cookie("c" * 19) is None


def test_requests_are_counted_by_the_minute() -> None:
    access = Access("a", per_minute=2)
    assert [access.take() for _ in range(2)] == [0.0, 0.0]
    assert 0 < access.take() <= 30
    assert Access("b").take() == 0.0
