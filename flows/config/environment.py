"""Environment variables, and the file `.env` of the working folder for those that are not set."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from flows.errors import ConfigError, Place

FILE: Final = ".env"


def read_variable(name: str) -> str | None:
    """The value of a variable in the environment, or else in `.env`; None where neither has it.

    The file is only asked for names that a config or this package names. Nothing of it goes into
    the environment, where it would change where libraries send keys, and what other programs do.
    Errors: `ConfigError` with the place for a file that cannot be read.
    """
    found = os.environ.get(name)
    return found if found is not None else read_dotenv(Path(FILE)).get(name)


def read_dotenv(path: Path) -> dict[str, str]:
    """The variables of a file of lines NAME=VALUE; none where there is no such file. Errors: as of
    `read_variable`."""
    if not path.is_file():  # a folder of this name holds a virtual environment
        return {}
    from dotenv.parser import parse_stream

    found: dict[str, str] = {}
    try:
        with path.open(encoding="utf-8-sig") as file:
            for each in parse_stream(file):
                if each.error:
                    problem = "no line NAME=VALUE"
                    raise ConfigError(problem, place=Place(str(path), each.original.line))
                if each.key is not None and each.value is not None:
                    found[each.key] = each.value
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} is no text in UTF-8") from error
    return found
