"""A part of a config against a pydantic model: what is wrong, said with the place in the file."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, TypeVar, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from flows.config.composition import Composed, raise_all
from flows.config.redaction import HIDDEN
from flows.config.secret import EnvSecret, is_secret, masked, names_a_secret
from flows.config.tree import (
    SUBFLOWS,
    TARGET,
    ListNode,
    Path,
    Section,
    child,
    dotted,
    find,
    is_open,
    is_unknown,
    leaves,
)
from flows.errors import ConfigError, UnknownValue, nearest

M = TypeVar("M", bound=BaseModel)

EXPECTED = {
    "bool": "true or false",
    "dict": "a mapping",
    "float": "a number",
    "frozen_set": "a list",
    "int": "a whole number",
    "list": "a list",
    "mapping": "a mapping",
    "model": "a mapping",
    "model_attributes": "a mapping",
    "set": "a list",
    "string": "text",
    "tuple": "a list",
    "none_required": "null",
    "url": "an address",
}
LONGEST_VALUE = 60
RULES = ("value_error", "assertion_error")


def validate(model: type[M], values: Mapping[str, Any], composed: Composed, path: Path) -> M:
    """The model made of the values, which stand at `path` in the config.

    Raises ConfigError, or CheckError for several, each with place, config path and what is allowed.
    """
    misplaced = [
        _misplaced(composed, (*path, *inner))
        for inner in _env_secrets(values, ())
        if not _is_secret_at(model, values, inner)
    ]
    raise_all(misplaced)
    try:
        made = model.model_validate(dict(values))
    except ValidationError as error:
        details = error.errors(include_url=False)
        known = _without_unknown(details, composed, path)
        if not known:
            raise UnknownValue(
                f"{dotted(path)} is not known", place=composed.place(path)
            ) from error
        raise_all(_explained(model, known, composed, path))
        raise
    quoted = _quoted_numbers(values, made)
    raise_all([_quoted(composed, (*path, *inner), *each) for inner, *each in quoted])
    return made


def _quoted_numbers(given: Any, made: Any, path: Path = ()) -> Iterator[tuple[Path, str, Any]]:
    """The texts that pydantic has read as the number, or as true or false, that they show: with
    path, text and value."""
    if isinstance(given, Mapping):
        for key, each in given.items():
            yield from _quoted_numbers(each, _made_at(made, str(key)), (*path, str(key)))
    elif isinstance(given, list | tuple) and isinstance(made, list | tuple):
        for index, (each, one) in enumerate(zip(given, made, strict=False)):
            yield from _quoted_numbers(each, one, (*path, index))
    elif isinstance(given, str) and isinstance(made, int | float) and _shows(given, made):
        yield path, given, made


def _made_at(made: Any, key: str) -> Any:
    """What a key of a mapping or of a model has become; None where that has another shape."""
    if isinstance(made, BaseModel):
        fields = type(made).model_fields
        name = next((name for name, info in fields.items() if key in (info.alias, name)), None)
        return getattr(made, name) if name is not None else None
    return made.get(key) if isinstance(made, Mapping) else None


def _shows(text: str, value: float | bool) -> bool:
    """Whether a text is just the number, as `30 s` is not, or a word for true or false."""
    if isinstance(value, bool):
        return True
    try:
        return float(text) == value
    except ValueError:
        return False


def _quoted(composed: Composed, path: Path, text: str, value: float | bool) -> ConfigError:
    kind = EXPECTED[type(value).__name__]
    return composed.error(f"must be {kind}, not the text {text!r}: leave out the quotes", path)


def _env_secrets(value: Any, path: Path) -> Iterator[Path]:
    """The paths of every `${env:NAME}`."""
    if isinstance(value, EnvSecret):
        yield path
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _env_secrets(inner, (*path, str(key)))
    elif isinstance(value, (list, tuple)):
        for index, inner in enumerate(value):
            yield from _env_secrets(inner, (*path, index))


def _misplaced(composed: Composed, path: Path) -> ConfigError:
    problem = "an environment variable can only be the value of a secret"
    return composed.error(problem, path)


def _is_secret_at(model: type[BaseModel], values: Any, path: Path) -> bool:
    """Whether the field at the path takes secrets. What a mapping with a `_target_` takes is for
    the model of its target to say."""
    for index in range(len(path), 0, -1):
        owner = model_at(model, path[: index - 1])
        if owner is None:
            continue
        info = _field(owner, str(path[index - 1]))
        if info is None and owner.model_config.get("extra") == "allow":
            continue  # what it takes is not for this model to say
        if info is None:
            return False
        return is_secret(info.annotation, info.metadata) or _has_target(values, path)
    return False


def _has_target(values: Any, path: Path) -> bool:
    """Whether a mapping on the way to the path, inside the values, names a `_target_`."""
    for segment in path[:-1]:
        values = values[segment]
        if isinstance(values, Mapping) and TARGET in values:
            return True
    return False


def _field(model: type[BaseModel], key: str) -> FieldInfo | None:
    for name, info in model.model_fields.items():
        if key in (info.alias, name):
            return info
    return None


def model_at(model: type[BaseModel], path: Path) -> type[BaseModel] | None:
    """The model that describes the mapping at the path inside `model`, or None."""
    return _descend(model, path)


def _descend(annotation: Any, path: Path) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        if not path:
            return annotation
        info = _field(annotation, str(path[0]))
        return _descend(info.annotation, path[1:]) if info else None
    arguments = [each for each in get_args(annotation) if each is not Ellipsis]
    origin = get_origin(annotation)
    if isinstance(origin, type) and issubclass(origin, Collection):
        # A list, a tuple or a mapping takes one step of the path.
        return _descend(arguments[-1], path[1:]) if path and arguments else None
    found = (_descend(each, path) for each in arguments)
    return next((each for each in found if each is not None), None)


def field_names(model: type[BaseModel]) -> tuple[str, ...]:
    """The keys that a model takes, as they are written in a config."""
    return tuple(info.alias or name for name, info in model.model_fields.items())


def _explained(
    model: type[BaseModel], details: Iterable[ErrorDetails], composed: Composed, path: Path
) -> list[ConfigError]:
    """One error for each place; the alternatives of a union are said together, and a key that is
    missing is not told of where one beside it is told to be it, misspelt."""
    by_path: dict[Path, list[ErrorDetails]] = {}
    for detail in details:
        by_path.setdefault(_written_path(composed, path, detail), []).append(detail)
    found = {at: _one(model, at, group, composed, path) for at, group in by_path.items()}
    meant = {(*at[:-1], each.meant) for at, each in found.items() if not each.missing}
    return [each for at, each in found.items() if not (each.missing and at in meant)]


def _without_unknown(
    details: list[ErrorDetails], composed: Composed, path: Path
) -> list[ErrorDetails]:
    """The details but for those that may only be there because a value is not known: also those of
    other alternatives of a type, when one alternative leads to the unknown value."""
    known, hidden = [], set[Path]()
    for each in details:
        if _is_of_unknown(each, composed, path):
            at = _written_path(composed, path, each)
            hidden |= {at[:end] for end in range(len(at))}
        else:
            known.append(each)
    return [each for each in known if _written_path(composed, path, each) not in hidden]


def _is_of_unknown(detail: ErrorDetails, composed: Composed, path: Path) -> bool:
    """Whether a fault may only be one because a value is not known: the value at its place, or for
    a rule about several values one of them."""
    at = _written_path(composed, path, detail)
    if composed.is_unknown(at):
        return True
    node = find(composed.tree, at)
    if detail["type"] == "extra_forbidden":
        return is_open(node)  # a part of what could not be read
    if detail["type"] not in RULES or node is None:
        return False
    return any(is_unknown(each) for _, each in leaves(node))


def _written_path(composed: Composed, path: Path, detail: ErrorDetails) -> Path:
    """The location of an error as a path in the config, without pydantic's union tags."""
    node = find(composed.tree, path)
    written = path
    location = detail["loc"]
    for index, segment in enumerate(location):
        inner = child(node, segment) if node is not None else None
        is_last = index == len(location) - 1
        if inner is not None:
            written, node = (*written, segment), inner
        elif is_last and detail["type"] == "missing":
            written = (*written, segment)
        elif not isinstance(node, Section | ListNode):
            break
    return written


def _one(
    model: type[BaseModel],
    at: Path,
    details: list[ErrorDetails],
    composed: Composed,
    path: Path,
) -> ConfigError:
    first = details[0]
    place = composed.place(at)
    if first["type"] == "extra_forbidden":
        owner = model_at(model, at[len(path) : -1])
        allowed = field_names(owner) if owner else ()
        below = _below(composed, at[:-1])
        if composed.key_place(at).line is None:
            allowed = (*allowed, *below)
        item = str(at[-1]).removeprefix("-")
        dash = f": an item of a list is `- {item}`, with a space" if item != str(at[-1]) else ""
        return ConfigError(
            f"unknown key {at[-1]!r}{dash}",
            place=composed.key_place(at),
            path=dotted(at),
            allowed=allowed,
            meant=f"{SUBFLOWS}.{at[-1]}" if at[-1] in below else nearest(str(at[-1]), allowed),
        )
    if first["type"] == "missing":
        missing = ConfigError(f"{at[-1]!r} must be given", place=place, path=dotted(at))
        missing.missing = True
        return missing
    allowed = tuple(dict.fromkeys(each for detail in details for each in _choices(detail)))
    meant = nearest(str(first["input"]), allowed) if allowed else None
    problem = f"{_expectation(details)}, not {_shown(at, first['input'])}{_mend(first)}"
    if first["type"] in RULES:
        problem = str(first["msg"]).partition(", ")[2] or str(first["msg"])
    return ConfigError(problem, place=place, path=dotted(at), allowed=allowed, meant=meant)


def _mend(detail: ErrorDetails) -> str:
    """What to do about a number in quotes; "" for any other fault."""
    kind = detail["type"].partition("_")[0]
    text = detail["input"]
    if kind not in ("int", "float") or not isinstance(text, str) or not text.isdecimal():
        return ""
    return ": leave out the quotes"


def _below(composed: Composed, path: Path) -> tuple[str, ...]:
    """The subflows of a part of the config, which an override names without the key between:
    `Executor.sql` is `Executor.subflows_config.sql`."""
    node = find(composed.tree, path)
    if not isinstance(node, Section):
        return ()
    below = node.section(SUBFLOWS)
    return tuple(below.entries) if below is not None else ()


def _choices(detail: ErrorDetails) -> list[str]:
    """The values that a literal or an enum allows."""
    if detail["type"] not in ("literal_error", "enum", "union_tag_invalid"):
        return []
    context = detail.get("ctx", {})
    text = str(context.get("expected") or context.get("expected_tags") or "")
    return [each.strip().strip("'") for each in text.replace(" or ", ", ").split(",")]


def _expectation(details: list[ErrorDetails]) -> str:
    kinds: list[str] = []
    for detail in details:
        kind = detail["type"]
        name = kind.removesuffix("_type").removesuffix("_parsing").removesuffix("_from_float")
        said = EXPECTED.get(name)
        if kind in ("literal_error", "enum", "union_tag_invalid"):
            said = "one of the allowed values"
        if said is None:
            said = str(detail["msg"]).removeprefix("Input should be ").removeprefix("a valid ")
        if said not in kinds:
            kinds.append(said)
    return "must be " + " or ".join(kinds)


def _shown(path: Path, value: Any) -> str:
    if isinstance(value, EnvSecret) or any(names_a_secret(str(each)) for each in path):
        return HIDDEN
    if isinstance(value, Mapping):
        return "a mapping"
    if isinstance(value, (list, tuple)):
        return "a list"
    text = {None: "null", True: "true", False: "false"}.get(value) if not _is_text(value) else None
    text = text or repr(masked("", value))
    return text if len(text) <= LONGEST_VALUE else f"{text[: LONGEST_VALUE - 3]}..."


def _is_text(value: Any) -> bool:
    return not (value is None or isinstance(value, bool))
