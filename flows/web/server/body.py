"""Reading the body of a request."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from math import isfinite
from typing import Any, NoReturn, TypeVar

from pydantic import BaseModel, ValidationError
from starlette.requests import Request

from flows.config.json_faults import json_fault
from flows.errors import ConfigError

M = TypeVar("M", bound=BaseModel)


async def read_body(
    request: Request, model: type[M], prepare: Callable[[Any], Any] = lambda values: values
) -> M:
    """The JSON body of a request as the model; an empty one is an object without keys. What
    `prepare` makes of its values is read.

    Errors: `ConfigError` that names the place in it and what is allowed there.
    """
    kind = request.headers.get("content-type", "application/json").partition(";")[0].strip()
    if kind != "application/json" and not kind.endswith("+json"):
        raise ConfigError(f"the body is {kind}", path="Content-Type", allowed=["application/json"])
    values = prepare(read_json(await request.body()))
    try:
        return model.model_validate(values)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        names = [each.alias or name for name, each in model.model_fields.items()]
        raise ConfigError(first["msg"], path=where or "the body", allowed=names) from error


def read_json(body: bytes) -> Any:
    """A value in JSON, in which no name stands twice and all numbers are finite.

    Errors: `ConfigError` with line and column.
    """
    if not body.strip():
        return {}
    try:
        values = json.loads(
            body.decode("utf-8"),
            parse_constant=_refuse,
            parse_float=_finite,
            object_pairs_hook=_without_doubles,
        )
        if b"\\ud" in body.lower():  # half of a character, which no text can hold
            json.dumps(values, ensure_ascii=False).encode()
        return values
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"the body is not JSON: {json_fault(error)}", path="the body") from error


def _finite(digits: str) -> float:
    number = float(digits)
    if not isfinite(number):
        raise ValueError(f"{digits} is too large a number")
    return number


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number in JSON")


def _without_doubles(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        double = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the name {double!r} stands twice in one object")
    return found
