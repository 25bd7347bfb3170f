"""What is a secret, and that it is hidden in every form and in every log."""

from __future__ import annotations

import logging
from base64 import b64encode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flows.config import redaction
from flows.config.redaction import RedactedStream, as_cause, redact, redact_pieces, remember
from flows.config.secret import resolve_secret
from flows.errors import ConfigError
from tests.cli.canaries import canary, forms, in_base64

SECRET = remember(canary("redaction"))


@pytest.mark.parametrize("form", sorted(forms(SECRET) - {SECRET[::-1], *in_base64(SECRET)}))
def test_every_form_is_hidden(form: str) -> None:
    for around in ("{}", "it is {}!", "[{0}, {0}]"):
        assert form not in redact(around.format(form))
        assert "***" in redact(around.format(form))


@given(before=st.binary(max_size=9), after=st.binary(max_size=9))
def test_base64_of_anything_around_it(before: bytes, after: bytes) -> None:
    text = b64encode(before + SECRET.encode() + after).decode()
    middle = b64encode(SECRET.encode()[3:-3]).decode().rstrip("=")
    assert "***" in redact(text)
    assert middle not in redact(text)


@pytest.mark.parametrize("at", range(10, len(SECRET) - 10))
def test_a_part_of_it_is_hidden_in_an_error(at: int) -> None:
    shown = redact_pieces(f"the key {SECRET[:at]} ... {SECRET[at:]} is wrong")
    assert shown == "the key *** ... *** is wrong"


@pytest.mark.long("all configs are read")
@given(st.lists(st.integers(1, 6), min_size=1), st.text("ab+Q7/&9= sk-", max_size=30))
def test_pieces_that_arrive_say_the_same_as_the_whole(sizes: list[int], more: str) -> None:
    text = f"{more}{SECRET}{more} and {SECRET[:9]}{more}"
    stream, heard, at = RedactedStream(), "", 0
    while at < len(text):
        size = sizes[at % len(sizes)]
        heard += stream.add(text[at : at + size])
        at += size
    heard += stream.end()
    assert SECRET not in heard
    assert heard == redact(text)


def test_a_text_without_secrets_is_as_it_was() -> None:
    text = "SELECT key FROM tokens -- a password of *** and sk- and unused"
    assert redact_pieces(text) == redact(text) == text
    stream = RedactedStream()
    assert stream.add(text) + stream.end() == text


@pytest.mark.parametrize(
    ("name", "value", "is_hidden"),
    [
        ("SHOP_API_KEY", "k9-one-two-three", True),
        ("shop_token", "k9-one-two-three", True),
        ("PGPASSWORD_FILE", "k9-one-two-three", False),
        ("PWD", "k9-one-two-three", False),
        ("SHOP_KEY", "unused", False),
        ("SHOP_KEY", "customers", False),
        ("SHOP_KEY", "abcdefghijklmnopqrst", True),
        ("SHOP_SECRET", "/etc/passwd", False),
    ],
)
def test_names_of_the_environment(
    name: str, value: str, is_hidden: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)
    monkeypatch.setattr(redaction, "_forms", None)
    assert (redact(f"it is {value}") == "it is ***") == is_hidden


def test_passwords_in_addresses_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_URL", "postgres://me:p%40ss-word-1@localhost/shop")
    monkeypatch.setattr(redaction, "_forms", None)
    assert redact("p%40ss-word-1 or p@ss-word-1") == "*** or ***"
    assert redact("postgres://me:p%40ss-word-1@localhost/shop").endswith(":***@localhost/shop")


def test_what_a_config_names_is_hidden_from_then_on(monkeypatch: pytest.MonkeyPatch) -> None:
    secret = canary("named by a config")
    monkeypatch.setenv("FLOWS_ODD_NAME", secret)
    assert redact(secret) == secret
    assert resolve_secret("${env:FLOWS_ODD_NAME}") == secret
    assert redact(secret) == "***"
    with pytest.raises(ConfigError) as caught:
        resolve_secret("${env:FLOWS_NO_SUCH}")
    assert "FLOWS_NO_SUCH" in str(caught.value)


def test_logs_of_anyone(caplog: pytest.LogCaptureFixture) -> None:
    log = logging.getLogger("somebody.else")
    caplog.set_level(logging.DEBUG)
    log.debug("headers: %s", {"authorization": f"Bearer {SECRET}"})
    log.info(f"cut {SECRET[:15]}")
    try:
        raise ValueError(f"no {SECRET}")
    except ValueError:
        log.exception("it failed with %(key)s", {"key": SECRET})
    log.warning("nothing %s", "secret")
    assert not any(form in caplog.text for form in forms(SECRET))
    assert "ValueError: no ***" in caplog.text
    assert "nothing secret" in caplog.text
    assert caplog.records[3].args == ("secret",)


def test_a_cause_that_says_a_secret_is_left_out() -> None:
    fine, inner = ValueError("fine"), ValueError(SECRET)
    outer = ValueError("fine")
    outer.__cause__ = inner
    assert as_cause(fine) is fine
    assert as_cause(inner) is None
    assert as_cause(outer) is None
