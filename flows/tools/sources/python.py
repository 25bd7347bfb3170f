"""Python functions that the person trusts, as functions of an agent."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar, Final, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from flows.config.read import shown
from flows.config.redaction import as_cause
from flows.core.flow import Effect
from flows.core.function_description import Function, FunctionDescription
from flows.core.observation import Observation
from flows.errors import CommandError, ConfigError, Place, ToolError
from flows.tools.description.function import describe_function
from flows.tools.network import run_in_thread
from flows.tools.sources.results import observation_of

_LONGEST_S: Final = 3_600.0


class PythonFunction:
    """A Python function with typed arguments; one that is not `async` runs in a thread of its own.

    Arguments arrive as JSON and become the types of the signature: dates, models, tuples.
    """

    def __init__(
        self, function: Callable[..., Any], description: FunctionDescription | None = None
    ) -> None:
        self._function = function
        self._description = description or describe_function(function)

    @property
    def description(self) -> FunctionDescription:
        return self._description

    async def call(self, arguments: Mapping[str, Any]) -> Observation:
        name = self._description.name
        try:
            given = self._arguments.model_validate(dict(arguments))
        except ValidationError as error:
            raise ToolError(f"{name} cannot take these arguments: {_faults(error)}") from error
        values = {each: getattr(given, each) for each in given.model_fields_set}
        try:
            if inspect.iscoroutinefunction(self._function):
                result = await self._function(**values)
            else:
                result = await run_in_thread(lambda: self._function(**values), _LONGEST_S)
        except (TimeoutError, CommandError):
            raise
        except Exception as error:  # noqa: BLE001
            # The border to code of a person's own: what it raises is told, and ends no run.
            raise ToolError(f"{name} failed: {type(error).__name__}: {error}") from as_cause(error)
        return observation_of(result)

    @cached_property
    def _arguments(self) -> type[BaseModel]:
        hints = get_type_hints(self._function, include_extras=True)
        fields: dict[str, Any] = {
            name: (hints[name], ... if each.default is inspect.Parameter.empty else each.default)
            for name, each in inspect.signature(self._function).parameters.items()
        }
        config = ConfigDict(extra="forbid", arbitrary_types_allowed=True)
        return create_model(f"{self._description.name}Arguments", __config__=config, **fields)


class PythonSource:
    """The functions of modules that the person trusts by name (`--trust MODULE`), and single
    functions of them."""

    class Config(BaseModel):
        """`modules` gives all public functions that each defines, `functions` those named."""

        model_config = ConfigDict(frozen=True, extra="forbid")

        modules: tuple[str, ...] = Field(default=(), description="dotted names of modules")
        functions: tuple[str, ...] = Field(
            default=(), description="dotted names of functions, as in steps.spread"
        )
        effect: Effect | None = Field(
            default=None,
            description="what they do to the world: pure (nothing, as reading), idempotent (the "
            "same when done twice), once (it must not be done twice); of the last two a person is "
            "asked before a call. Without a word they are called unasked, and not done twice",
        )
        namespace: str = "default"

    # The keys that name code, which is found and imported for it by name.
    code: ClassVar[tuple[str, ...]] = ("modules", "functions")

    def __init__(self, config: PythonSource.Config, code: Sequence[object] = ()) -> None:
        """Errors: `ConfigError` with the line of a function that is not documented, and for a
        module without one."""
        for part in code:
            if not any(_functions_of(part)):
                name = str(getattr(part, "__file__", None) or getattr(part, "__name__", part))
                raise ConfigError(
                    "there is no public function in it", place=Place(shown(Path(name)))
                )
        found = dict.fromkeys(each for part in code for each in _functions_of(part))
        self._functions = tuple(
            PythonFunction(
                each, describe_function(each, namespace=config.namespace, effect=config.effect)
            )
            for each in found
        )

    async def functions(self) -> tuple[Function, ...]:
        return self._functions

    async def aclose(self) -> None:
        """It holds nothing."""


def _functions_of(code: object) -> Iterator[Callable[..., Any]]:
    if not isinstance(code, ModuleType):
        assert callable(code)
        yield code
        return
    for name, each in vars(code).items():
        if inspect.isfunction(each) and each.__module__ == code.__name__ and name[0] != "_":
            yield each


def _faults(error: ValidationError) -> str:
    return "; ".join(
        f"{'.'.join(str(step) for step in each['loc'])}: {each['msg']}" for each in error.errors()
    )[:1_000]
