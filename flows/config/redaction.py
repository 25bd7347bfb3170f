"""Keeping secrets out of what is written: errors, replies, events, logs.

A secret is what `remember` was given, and what the environment holds under a name such as
OPENAI_API_KEY or DB_PASSWORD, or as the password in an address. It is hidden as it is, as base64 or
hex, and with the escapes of addresses, JSON and HTML.
"""

from __future__ import annotations

import html
import json
import logging
import os
import re
import traceback
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote, quote_plus, unquote

if TYPE_CHECKING:
    from pydantic import SecretStr

HIDDEN = "***"
# A shorter one, or a word such as `unused`, stands in too many texts that do not mean it.
_SHORTEST = 8
_SHORTEST_WORD = 16
# So much of a secret is hidden where somebody else may have cut it.
_PIECE = 10
_NAME = re.compile(
    r"(?:^|_)(?:key|token|secret|password|passwd|passphrase|credential|pat)s?$", re.IGNORECASE
)
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^/?#\s:@]*:(?P<password>[^/?#\s@]+)@")
_HEX_ESCAPE = re.compile(r"%[0-9A-F]{2}")


class Forms(NamedTuple):
    """The texts that give a secret away. `longest` is the length of the longest but one character,
    `starts` are their first characters, `pieces` all their parts of `_PIECE` characters. `paths` is
    what stands for secret paths, which are hidden where they are whole."""

    whole: tuple[str, ...]
    longest: int
    starts: frozenset[str]
    pieces: frozenset[str]
    paths: re.Pattern[str] | None = None


_remembered: set[str] = set()
_paths: set[str] = set()
_forms: Forms | None = None
_logs_are_redacted = False


def remember(secret: str) -> str:
    """The secret itself, which is hidden in all that is written from now on, logs as well."""
    global _forms
    if secret not in _remembered:
        _remembered.add(secret)
        _forms = None
        _hide_in_logs()
    return secret


def remember_path(secret: str, start: Path) -> str:
    """The path itself, a secret: hidden from now on, as its file's name and as the whole path from
    the folder `start`.

    A name that is too short to be told from other words is hidden as part of its whole path alone.
    """
    global _forms
    remember(secret)
    whole = start.absolute() / Path(secret).expanduser()
    if start.absolute().is_relative_to(whole):  # the folder itself, or one above it
        return secret
    known = {*start.absolute().parts, *Path.cwd().parts}
    parts = {each for each in Path(secret).parts if each not in known}
    names = {each for each in (*parts, whole.stem) if can_be_hidden(each)}
    places = {whole, _resolved(whole)}
    _paths.update(names, map(str, places), (each.as_uri() for each in places))
    _forms = None
    return secret


def _resolved(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError):  # links in a circle
        return path


def reveal(secret: SecretStr) -> str:
    """The text of a secret from a config, remembered."""
    return remember(secret.get_secret_value())


def redact(text: str) -> str:
    """The text with secrets that are whole in it replaced: for content."""
    known = forms()
    for form in known.whole:
        if form in text:
            text = text.replace(form, HIDDEN)
    return text if known.paths is None else known.paths.sub(HIDDEN, text)


def redact_pieces(text: str) -> str:
    """The text without secrets and without pieces of them: for what others say of an error."""
    text = redact(text)
    pieces = forms().pieces
    if not pieces:
        return text
    kept: list[str] = []
    done = at = 0
    while at <= len(text) - _PIECE:
        if text[at : at + _PIECE] not in pieces:
            at += 1
            continue
        kept += (text[done:at], HIDDEN)
        while text[at + 1 : at + 1 + _PIECE] in pieces:
            at += 1
        done = at = at + _PIECE
    return "".join((*kept, text[done:]))


def as_cause(error: BaseException) -> BaseException | None:
    """The error as the cause of another, or None when it or one of its own causes says a secret."""
    said = "".join(traceback.format_exception(error))
    return error if redact_pieces(said) == said else None


class RedactedStream:
    """A text that arrives in pieces. What may be the beginning of a secret waits for the rest."""

    def __init__(self) -> None:
        self._held = ""

    def add(self, piece: str) -> str:
        """What may be shown by now."""
        text = redact(self._held + piece)
        at = _unfinished(text)
        self._held = text[at:]
        return text[:at]

    def end(self) -> str:
        """What was held back."""
        held, self._held = self._held, ""
        return held


def _unfinished(text: str) -> int:
    """Where a secret may have begun that the text does not end yet; its length if nowhere."""
    known = forms()
    for at in range(max(0, len(text) - known.longest), len(text)):
        if text[at] in known.starts:
            rest = text[at:]
            if any(form.startswith(rest) for form in known.whole):
                return at
    return len(text)


def forms() -> Forms:
    """All that is hidden. The environment is read at first, and again after each `remember`."""
    global _forms
    if _forms is None:
        secrets = {each for each in (*_remembered, *_in_environment()) if can_be_hidden(each)}
        found = {form for each in secrets for form in _forms_of(each)}
        _forms = Forms(
            whole=tuple(sorted(found, key=len, reverse=True)),
            longest=max((len(each) - 1 for each in found), default=0),
            starts=frozenset(each[0] for each in found),
            pieces=frozenset(
                each[at : at + _PIECE] for each in found for at in range(len(each) - _PIECE + 1)
            ),
            paths=_pattern_of({form for each in _paths for form in _forms_of_path(each)}),
        )
    return _forms


def _pattern_of(paths: set[str]) -> re.Pattern[str] | None:
    """Any of the paths, where no word goes on before or after it."""
    if not paths:
        return None
    longest_first = sorted(paths, key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w|\.\w)")


def _forms_of_path(path: str) -> Iterator[str]:
    yield path
    yield quote(path)
    yield quote(path, safe="")
    yield json.dumps(path)[1:-1]
    yield json.dumps(path, ensure_ascii=False)[1:-1]
    yield repr(path)[1:-1]
    yield html.escape(path)


def can_be_hidden(secret: str) -> bool:
    """Whether a text is long and odd enough to be told from what others mean by it."""
    return len(secret) >= (_SHORTEST_WORD if secret.isalpha() else _SHORTEST)


def _in_environment() -> Iterator[str]:
    for name, value in os.environ.items():
        if address := _ADDRESS.search(value):
            yield from (address["password"], unquote(address["password"]))
        elif _NAME.search(name) and not _is_path(value):
            yield value


def _is_path(value: str) -> bool:
    """Whether it is where a key is kept, as in GOOGLE_APPLICATION_CREDENTIALS."""
    return value[:1] in ("/", "~", ".") and Path(value).expanduser().exists()


def _forms_of(secret: str) -> Iterator[str]:
    raw = secret.encode("utf-8", "surrogateescape")
    yield secret
    for escaped in (quote(raw, safe=""), quote(raw), quote_plus(raw)):
        yield escaped
        yield _HEX_ESCAPE.sub(lambda found: found[0].lower(), escaped)
    for is_ascii in (True, False):
        yield json.dumps(secret, ensure_ascii=is_ascii)[1:-1]
    yield repr(secret)[1:-1]
    yield html.escape(secret)
    yield raw.hex()
    yield raw.hex().upper()
    for encode in (b64encode, urlsafe_b64encode):
        for before in range(3):
            # The characters that only the secret decides, whatever stands before and after it.
            text = encode(bytes(before) + raw).decode().rstrip("=")
            first = (0, 2, 3)[before]
            yield text[first : len(text) - ((before + len(raw)) % 3 > 0)]


def _hide_in_logs() -> None:
    """Redact whatever is logged, by whom ever: the clients of providers log headers and bodies."""
    global _logs_are_redacted
    if _logs_are_redacted:
        return
    _logs_are_redacted = True
    make = logging.getLogRecordFactory()

    def make_redacted(*given: Any, **more: Any) -> logging.LogRecord:
        return _redacted(make(*given, **more))

    logging.setLogRecordFactory(make_redacted)


def _redacted(record: logging.LogRecord) -> logging.LogRecord:
    """The record, without its arguments if these say a secret, and so for its exception."""
    try:
        said = record.getMessage()
    except (TypeError, ValueError, KeyError):  # a wrong format, which logging itself will tell
        return record
    if (fit := redact_pieces(said)) != said:
        record.msg, record.args = fit, ()
    if record.exc_info and record.exc_info[0] is not None:
        trace = "".join(traceback.format_exception(*record.exc_info)).rstrip("\n")
        if (fit := redact_pieces(trace)) != trace:
            record.exc_info, record.exc_text = None, fit
    return record
