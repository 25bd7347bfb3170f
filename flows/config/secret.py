"""Secrets: `${env:NAME}` stays text until the moment a service is made."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, get_args, get_origin

from pydantic import SecretBytes, SecretStr

from flows.config.environment import read_variable
from flows.config.redaction import HIDDEN, can_be_hidden, remember
from flows.errors import ConfigError

ENV = re.compile(r"\$\{\s*env\s*:\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}")
SECRET_NAME = re.compile(
    r"(?:^|_)(?:api_?keys?|access_?keys?|(?:access_|auth_|api_|bot_)?token|secrets?|password"
    r"|passwd|passphrase|credentials?)$",
    re.IGNORECASE,
)
USER_INFO = re.compile(r"(?P<head>[A-Za-z][A-Za-z0-9+.-]*://[^/?#\s:@]*):[^/?#\s@]*@")
# In the address of a database a password may have been written as it is, with any character.
_OF_DATABASE = re.compile(
    r"^(?P<head>\s*(?:postgres|postgresql|mysql|mariadb)(?:\+\w+)?://[^:@/]*):.*@", re.I | re.S
)
_IN_QUERY = re.compile(r"(?P<head>[?&](?:password|passwd|pwd)=)[^&#\s]*", re.IGNORECASE)


class EnvSecret(str):
    """The text `${env:NAME}` of a config, told apart from text that only looks like it."""

    __slots__ = ()


class SecretMark:
    """The annotation of a field that may name an environment variable."""


Secret = Annotated[str, SecretMark()]


def resolve_secret(value: str) -> str:
    """The value of the variable that `${env:NAME}` names, remembered as a secret; any other text
    is returned as it is.

    Raises ConfigError with the variable's name, never with a value.
    """
    match = ENV.fullmatch(value)
    if match is None:
        return value
    found = read_variable(match[1])
    if not found:
        state = "empty" if found == "" else "not set, and not in .env"
        raise ConfigError(f"the environment variable {match[1]} is {state}")
    return remember(found)


def with_secrets(values: Any) -> Any:
    """The values with `${env:NAME}` replaced by what the variable holds."""
    if isinstance(values, EnvSecret):
        return resolve_secret(values)
    if isinstance(values, Mapping):
        return {key: with_secrets(value) for key, value in values.items()}
    if isinstance(values, list):
        return [with_secrets(value) for value in values]
    return values


def env_name(value: object) -> str | None:
    """The variable that an `${env:NAME}` of a config names; None for any other value."""
    found = ENV.fullmatch(value) if isinstance(value, EnvSecret) else None
    return found[1] if found else None


def is_secret(annotation: Any, metadata: tuple[Any, ...] | list[Any] = ()) -> bool:
    """Whether a field of this annotation may hold a secret."""
    if any(isinstance(each, SecretMark) or each is SecretMark for each in metadata):
        return True
    if annotation in (SecretStr, SecretBytes):
        return True
    arguments = get_args(annotation)
    if get_origin(annotation) is Annotated:
        return is_secret(arguments[0], arguments[1:])
    return any(is_secret(each) for each in arguments)


def names_a_secret(key: str) -> bool:
    """Whether a key's name says that its value must not be shown."""
    return SECRET_NAME.search(key) is not None


def masked(key: str, value: Any) -> Any:
    """The value as it may be printed: secrets and passwords in addresses are `***`."""
    if isinstance(value, EnvSecret):
        return f"{HIDDEN} ({value})"
    if names_a_secret(key) and value not in (None, "", "???"):
        return HIDDEN
    if isinstance(value, str) and "://" in value:
        text = _OF_DATABASE.sub(rf"\g<head>:{HIDDEN}@", value)
        return _IN_QUERY.sub(rf"\g<head>{HIDDEN}", USER_INFO.sub(rf"\g<head>:{HIDDEN}@", text))
    return value


def without_secrets(values: Any, key: str = "") -> Any:
    """The config as it may be kept: `${env:NAME}` as it is, `***` for a secret written out.

    What no one could tell from other words, such as `unused`, stays.
    """
    if isinstance(values, dict):
        return {name: without_secrets(value, str(name)) for name, value in values.items()}
    if isinstance(values, list):
        return [without_secrets(value, key) for value in values]
    if isinstance(values, EnvSecret) or not isinstance(values, str):
        return values
    return masked(key, values) if "://" in values or can_be_hidden(values) else values


def check_secrets_kept(values: Any, path: tuple[str, ...] = ()) -> None:
    """Errors: `ConfigError` for a config of which a secret was not kept."""
    if isinstance(values, dict | list):
        items = values.items() if isinstance(values, dict) else enumerate(values)
        for key, value in items:
            check_secrets_kept(value, (*path, str(key)))
    elif isinstance(values, str) and (values == HIDDEN or f":{HIDDEN}@" in values):
        raise ConfigError(
            "a secret that is written out is not kept with the run; to go on with a run, "
            "name an environment variable instead: ${env:NAME}",
            path=".".join(path),
        )


def secret_paths(values: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Where a config names environment variables instead of secrets."""
    if isinstance(values, EnvSecret):
        return [path]
    items: Any = ()
    if isinstance(values, dict):
        items = values.items()
    elif isinstance(values, list):
        items = enumerate(values)
    return [found for key, value in items for found in secret_paths(value, (*path, key))]
