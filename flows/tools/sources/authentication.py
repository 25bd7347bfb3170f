"""How a request to a server shows who sends it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr, model_validator

from flows.config.redaction import reveal
from flows.config.secret import env_name
from flows.core.destination import Destination, origin_of

CLIENT: Final = "client_credentials"
_NAMED: Final = ("header", "query", "cookie")
_NAME: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_COOKIE: Final = re.compile(r"[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*")


class Authentication(BaseModel):
    """How a request shows who sends it: `secret` as a bearer token, or under a `name` in a header,
    in the query or in a cookie.

    With `client_credentials` `id` and `secret` are those of an OAuth 2 client: a token is asked for
    at `token_url` and sent as a bearer token.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    kind: Literal["bearer", "header", "query", "cookie", "client_credentials"] = "bearer"
    name: str = Field(
        default="", description="of the header, of the query's parameter, or of the cookie"
    )
    secret: SecretStr = Field(description="the key, or the secret of a client: ${env:NAME}")
    id: SecretStr | None = Field(default=None, description="the id of a client: ${env:NAME}")
    token_url: str = Field(default="", description="where a client asks for its tokens")
    scope: str = Field(default="", description="what a client asks for, names with blanks between")
    client_in: Literal["header", "body"] = Field(
        default="header", description="where the request for a token has the id and the secret"
    )

    @model_validator(mode="after")
    def _fitting(self) -> Authentication:
        if (self.kind in _NAMED) != bool(self.name):
            raise ValueError("name is for a header, a query or a cookie, and these need it")
        if self.name and self.kind != "query" and not _NAME.fullmatch(self.name):
            raise ValueError(f"no header and no cookie can be named {self.name!r}")
        if self.kind != CLIENT and (self.id or self.token_url or self.scope):
            raise ValueError(f"id, token_url and scope are for the kind {CLIENT}")
        if self.kind == CLIENT and not (self.id and self.token_url):
            raise ValueError(f"{CLIENT} needs id, secret and token_url")
        if self.token_url:
            _check_address(self.token_url)
        self._check_secret()
        return self

    def _check_secret(self) -> None:
        """Errors: `ValueError`, without the key, for one that has no place where it goes."""
        key = self.secret.get_secret_value()
        if self.kind in ("bearer", "header") and not (key.isascii() and key.isprintable()):
            raise ValueError("the key holds a line end or another sign that no header can have")
        if self.kind == "cookie" and not _COOKIE.fullmatch(key):
            raise ValueError("the key holds a sign that no cookie can have, such as ; or a blank")

    def headers(self) -> dict[str, str]:
        """The header with the key, if it goes there."""
        if self.kind in ("query", CLIENT):
            return {}
        if self.kind == "header":
            return {self.name: reveal(self.secret)}
        if self.kind == "cookie":
            return {"Cookie": f"{self.name}={reveal(self.secret)}"}
        return {"Authorization": f"Bearer {reveal(self.secret)}"}

    def params(self) -> list[tuple[str, str]]:
        """The parameter of the query with the key, if it goes there."""
        return [(self.name, reveal(self.secret))] if self.kind == "query" else []


def _check_address(url: str) -> None:
    """Errors: `ValueError` for what is no address of a web server."""
    if not url.startswith(("https://", "http://")):
        raise ValueError("token_url is an address that begins with https:// or http://")
    origin_of(url)


def token_destinations(auth: Mapping[str, Any]) -> Iterator[Destination]:
    """Where a client of a config sends its id and its secret. Errors: `ValueError` for what is no
    address."""
    url = str(auth.get("token_url") or "")
    try:
        _check_address(url)
        address = origin_of(url)
    except ValueError as error:
        raise ValueError(f"auth.token_url: {error}") from error
    for key in ("id", "secret"):
        if given := auth.get(key):
            yield Destination(
                address,
                env_name(given) or f"the {key} of a client, which is written out,",
                usual=False,
                address_at=("auth", "token_url"),
                secret_at=("auth", key),
            )
