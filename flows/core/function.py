"""A plain function as a step: its parameters are the inputs, what it returns are the outputs."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import is_dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, get_args, get_origin, get_type_hints, is_typeddict
from warnings import catch_warnings, filterwarnings

from pydantic import BaseModel, Field, ValidationError, create_model
from pydantic.errors import PydanticSchemaGenerationError, PydanticUserError

from flows.config.contract import STREAMS
from flows.config.typed_dict import typed_dict_problem
from flows.core.flow import AtomicConfig, AtomicFlow, Effect, FlowConfig, Parts, Ports
from flows.core.function_thread import GOES_ON, call_in_thread
from flows.core.ports import check_ports
from flows.errors import ConfigError, PortError

_DATA = "ports are plain data, such as numbers, texts, lists and dicts"
_VARIADIC: Mapping[Any, str] = {
    inspect.Parameter.VAR_POSITIONAL: "*",
    inspect.Parameter.VAR_KEYWORD: "**",
}


class FunctionConfig(AtomicConfig):
    """The keys of a function's step."""

    effect: Effect = Field(
        default="pure",
        description="what it does to the world: pure (nothing), idempotent (the same when done "
        "twice), once (it must not be done twice)",
    )


class FunctionFlow(AtomicFlow):
    """Calls a function; one that is not `async` is called in a thread, so that others go on.

    `flow_of` makes the subclass of a function.
    """

    Config: ClassVar[type[FlowConfig]] = FunctionConfig
    function: ClassVar[Callable[..., Any]]
    port: ClassVar[str] = ""

    def __init__(self, config: FunctionConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        self.effect = config.effect
        doc = inspect.getdoc(self.function) or ""
        first = " ".join(doc.partition("\n\n")[0].split())
        self.label = config.description or first or self.function.__name__
        if not inspect.iscoroutinefunction(self.function):
            self.goes_on = GOES_ON

    @property
    def changing(self) -> bool:
        return self.effect != "pure"

    async def run(self, inputs: Any, run: Any) -> Any:
        del run
        function = type(self).__dict__["function"].__func__
        values = {name: getattr(inputs, name) for name in self.port_names}
        if inspect.iscoroutinefunction(function):
            found = await function(**values)
        else:
            found = await call_in_thread(function, **values)
        try:
            return self.outputs_type.model_validate(
                {self.port: found} if self.port else as_keys(found)
            )
        except ValidationError as error:
            first = error.errors(include_url=False, include_context=False)[0]
            at = ".".join(str(each) for each in first["loc"])
            text = (
                f"{self.name}: {function.__name__} returned what does not fit: {at}: {first['msg']}"
            )
            raise PortError(text) from error


def as_keys(found: Any) -> Any:
    """The fields of a model, a data class or a named tuple; a mapping as it is."""
    if isinstance(found, Mapping):
        return found
    if isinstance(found, BaseModel):
        return found.__dict__
    if hasattr(found, "_asdict"):
        return found._asdict()
    return vars(found) if is_dataclass(found) else found


@lru_cache(maxsize=256)
def flow_of(function: Callable[..., Any]) -> type[FunctionFlow]:
    """The flow that calls the function.

    Each parameter is an input of its type, optional if it has a default. A return type with fields
    (a TypedDict, a data class, a pydantic model, a NamedTuple) gives an output for each; any other
    gives one output that is named as the function. Errors: `ConfigError` that names the line of the
    function, for a signature that says too little.
    """
    where, name = place_of(function), function.__name__
    hints = _hints(function, f"{where}: {name}")
    parameters = inspect.signature(function).parameters
    inputs: dict[str, Any] = {}
    for each in parameters.values():
        if each.kind in _VARIADIC or each.kind is inspect.Parameter.POSITIONAL_ONLY:
            shown = f"{_VARIADIC.get(each.kind, '')}{each.name}"
            raise ConfigError(f"{where}: {name}: {shown} cannot be an input; it needs a name")
        if each.name not in hints:
            raise ConfigError(f"{where}: {name}: the parameter {each.name} has no type")
        default = ... if each.default is inspect.Parameter.empty else each.default
        inputs[each.name] = (hints[each.name], default)
    returned = hints.get("return")
    if returned is None or returned is type(None):
        raise ConfigError(f"{where}: {name} has no type of what it returns, as in -> float")
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise ConfigError(f"{where}: {name} yields: a step returns once; return a list")
    for kind in hints.values():
        if stream := next((each for each in _kinds(kind) if each in STREAMS), None):
            raise ConfigError(
                f"{where}: {name}: a type that cannot be kept in the journal: {stream}; {_DATA}"
            )
    fields = _fields(returned)
    outputs: dict[str, Any] = fields or {name: (returned, ...)}
    made = type(
        name,
        (FunctionFlow,),
        {
            "__module__": function.__module__,
            "__qualname__": function.__qualname__,
            "__doc__": function.__doc__,
            "function": staticmethod(function),
            "port": "" if fields else name,
            "Inputs": _ports(f"{name}Inputs", inputs, f"{where}: {name}"),
            "Outputs": _ports(f"{name}Outputs", outputs, f"{where}: {name}"),
        },
    )
    assert issubclass(made, FunctionFlow)
    return made


def place_of(written: Any) -> str:
    """`FILE:LINE:COLUMN` of a function or class; its name if there is no source."""
    try:
        file = Path(inspect.getsourcefile(written) or "")
        lines, line = inspect.getsourcelines(written)
    except (OSError, TypeError):
        return f"{written.__module__}.{written.__qualname__}"
    near = file.relative_to(Path.cwd()) if file.is_relative_to(Path.cwd()) else file
    column = len(lines[0]) - len(lines[0].lstrip()) + 1 if lines else 1
    return f"{near}:{max(line, 1)}:{column}"


def _kinds(hint: Any) -> Iterator[str]:
    """The names of the types that a type is made of."""
    yield getattr(get_origin(hint) or hint, "__name__", "")
    for each in get_args(hint):
        yield from _kinds(each)


def _hints(function: Callable[..., Any], where: str) -> dict[str, Any]:
    try:
        return get_type_hints(function, include_extras=True)
    except (NameError, TypeError, SyntaxError, AttributeError) as error:
        raise ConfigError(f"{where}: its types cannot be read: {error}") from error


def _fields(returned: Any) -> dict[str, Any]:
    """The outputs that a return type with fields gives; none for any other type."""
    if isinstance(returned, type) and issubclass(returned, BaseModel):
        return {name: (info.annotation, ...) for name, info in returned.model_fields.items()}
    named = isinstance(returned, type) and hasattr(returned, "_fields")
    if is_typeddict(returned) or is_dataclass(returned) or named:
        return {name: (kind, ...) for name, kind in get_type_hints(returned).items()}
    return {}


def _ports(title: str, fields: Mapping[str, Any], where: str) -> type[Ports]:
    try:
        check_ports(tuple(fields))
        with catch_warnings():
            filterwarnings("ignore", message=".* shadows an attribute", category=UserWarning)
            return create_model(title, __base__=Ports, **fields)
    except (PydanticSchemaGenerationError, PydanticUserError) as error:
        if reason := typed_dict_problem(error):
            raise ConfigError(f"{where}: {reason}") from error
        first = str(error).splitlines()[0].partition(". Set")[0]
        raise ConfigError(
            f"{where}: a type that cannot be kept in the journal: {first}; {_DATA}"
        ) from error
    except ValueError as error:
        raise ConfigError(f"{where}: {error}") from error
