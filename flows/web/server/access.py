"""Who may do what: tokens of programs, from the environment, and the cookie of a page."""

from __future__ import annotations

import hmac
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from flows.config.environment import read_variable
from flows.config.redaction import remember
from flows.errors import QueueFull, UsageError
from flows.services.hosting.service import RunService

TOKEN: Final = "FLOWS_TOKEN"
TOKENS: Final = "FLOWS_TOKENS"
SHORTEST: Final = 16
OPEN_RUNS_RETRY: Final = 5
ALL: Final = ("run", "read", "answer")
_EXAMPLE: Final = '[{"name": "reports", "token": "...", "scopes": ["read"], "per_minute": 60}]'

Scope = Literal["run", "read", "answer"]


class Token(BaseModel):
    """A token of a program: what it may do, and how much. Without limits there are none."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(min_length=1)
    token: str = Field(min_length=SHORTEST)
    scopes: tuple[Scope, ...] = ALL
    per_minute: int | None = Field(default=None, ge=1, description="requests")
    open_runs: int | None = Field(default=None, ge=1, description="that are queued or running")


@dataclass(eq=False, slots=True)
class Access:
    """Whoever sends a request, by a token or a cookie. `left` are the requests that it may send
    now, as of `at`."""

    name: str
    scopes: tuple[str, ...] = ALL
    per_minute: int | None = None
    open_runs: int | None = None
    by_cookie: bool = False
    left: float = field(default=0.0)
    at: float = field(default=0.0)

    def take(self) -> float:
        """Count a request; the seconds until one is allowed again, 0 for one that is."""
        if self.per_minute is None:
            return 0.0
        now = time.monotonic()
        grown = (now - self.at) * self.per_minute / 60 if self.at else float(self.per_minute)
        self.left, self.at = min(float(self.per_minute), self.left + grown), now
        if self.left < 1:
            return (1 - self.left) * 60 / self.per_minute
        self.left -= 1
        return 0.0


class Keyring:
    """The tokens and the cookie that open an application. `cookie` is the name and the value of
    the page's; `once` the token of its address, which is good for one exchange."""

    def __init__(
        self,
        tokens: Sequence[Token] = (),
        *,
        cookie: tuple[str, str] | None = None,
        once: str | None = None,
    ) -> None:
        self._tokens = [
            (each.token.encode(), Access(each.name, each.scopes, each.per_minute, each.open_runs))
            for each in tokens
        ]
        self.cookie = cookie
        self._page = Access("page", by_cookie=True)
        self._once = once
        for secret in (*(each.token for each in tokens), once, cookie[1] if cookie else None):
            if secret:
                remember(secret)

    def by_token(self, given: str) -> Access | None:
        """Whose token that is. Each is compared, in constant time."""
        found = None
        for token, access in self._tokens:
            if hmac.compare_digest(token, given.encode()):
                found = access
        return found

    def by_cookie(self, given: str | None) -> Access | None:
        """The page's access, if that is its cookie."""
        if self.cookie is None or given is None:
            return None
        return self._page if hmac.compare_digest(self.cookie[1].encode(), given.encode()) else None

    def exchange(self, given: str) -> bool:
        """Whether the token of the page's address is right, and was not used before."""
        if self._once is None or not hmac.compare_digest(self._once.encode(), given.encode()):
            return False
        self._once = None
        return True


def read_tokens() -> list[Token]:
    """The tokens that the environment or `.env` gives: one in FLOWS_TOKEN, which may do all, or
    several as JSON in FLOWS_TOKENS. Errors: `UsageError`, which shows none of them."""
    found: list[Token] = []
    if one := read_variable(TOKEN):
        if len(one) < SHORTEST:
            raise UsageError(f"{TOKEN} is shorter than {SHORTEST} characters")
        found.append(Token(name="token", token=one))
    if several := read_variable(TOKENS):
        try:
            found += TypeAdapter(list[Token]).validate_json(several)
        except ValidationError as error:
            first = error.errors(include_input=False, include_url=False, include_context=False)[0]
            where = ".".join(str(part) for part in first["loc"]) or "the text"
            raise UsageError(f"{TOKENS}: {where}: {first['msg']}; as in {_EXAMPLE}") from None
    names = [each.name for each in found]
    if len(set(names)) < len(names):
        raise UsageError(f"{TOKENS}: two tokens have the same name: {', '.join(sorted(names))}")
    return found


def check_open_runs(service: RunService, access: Access) -> None:
    """Errors: `QueueFull` when as many runs of the token are open as it may have."""
    if access.open_runs is None:
        return
    count = sum(each.caller == access.name for each in service.live.values())
    if count >= access.open_runs:
        raise QueueFull(
            f"{count} runs of the token {access.name} are open; it may have {access.open_runs}",
            retry_after=OPEN_RUNS_RETRY,
        )


def new_token() -> str:
    """A token that nobody guesses."""
    return secrets.token_urlsafe(24)
