"""What there is to know of a flow before it is used: its ports, its keys, the texts beside it."""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

from pydantic.fields import FieldInfo
from pydantic_core import to_jsonable_python

from flows.build.default_files import default_files
from flows.build.names import ALIASES, builtin_registry
from flows.config.outline import Outline, OutlineField
from flows.config.registry import Registry
from flows.core.flow import Flow, FlowConfig, Ports
from flows.core.signature import FlowType, Variant, flow_class
from flows.library.aiflows.classes import ClassFlow, adapt_class

CARD: Final = "README.md"
MOST_CHARS: Final = 50_000
_SENTENCE: Final = re.compile(r".*?[.:](?=\s|\Z)", re.DOTALL)
_HEADER: Final = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)


@dataclass(frozen=True, slots=True)
class CardField:
    """A port or a key. `default` is JSON; None where it has to be given."""

    name: str
    type: str
    needed: bool
    default: Any
    text: str


@dataclass(frozen=True, slots=True)
class FlowCard:
    """A flow. `inputs` and `outputs` are None where the config of each use says them. `aliases` are
    the names of aiflows that mean it. `defaults` is the file whose entries a run file's own are
    laid over, and `card` the text that lies beside the code, as a FlowCard of the FlowVerse."""

    name: str
    source: str
    text: str
    inputs: tuple[CardField, ...] | None
    outputs: tuple[CardField, ...] | None
    keys: tuple[CardField, ...]
    aliases: tuple[str, ...] = ()
    defaults: Path | None = None
    card: str = ""


def list_flows() -> Iterator[tuple[str, str]]:
    """The name of each flow that is installed, with a sentence of what it does.

    Ours are read from their source, since importing all of them takes seconds.
    """
    registry = builtin_registry()
    for name in registry.names("flow"):
        found = registry.find("flow", name)
        text = _written_text(found.reference) or _text_of(_flow_type(registry, name))
        preset = [f"{key}: {each}" for key, each in found.values.items() if isinstance(each, str)]
        yield name, f"{_sentence(text)} ({', '.join(preset)})" if preset else _sentence(text)


def flow_card(name: str, trust: Sequence[str] = (), folder: Path = Path()) -> FlowCard:
    """All of one flow, by any name that a `_target_` may have.

    A file in the folder that is not trusted is read and not run. Errors: `ConfigError` for a name
    that is unknown, and for a class that cannot be a step.
    """
    registry = builtin_registry(trust, folder)
    found = registry.find("flow", name)
    resolved = registry.resolve("flow", name)
    if isinstance(resolved, Outline):
        return _outlined(found.name, resolved)
    canonical = registry.canonical("flow", name)
    names = [each for each, meant in ALIASES.items() if meant == canonical]
    kind = flow_class(adapt_class(resolved))
    return FlowCard(
        found.name,
        found.source,
        _text_of(kind, resolved),
        _ports(_base(kind).Inputs, Flow.Inputs),
        _ports(_base(kind).Outputs, Flow.Outputs),
        tuple(_fields(kind.Config.model_fields, found.values)),
        tuple(f"{each}*" if each.endswith(".") else each for each in names),
        _defaults_file(folder, name),
        _card_beside(resolved),
    )


def _defaults_file(folder: Path, name: str) -> Path | None:
    contents = [each.content for each in default_files(folder)(name).parts]
    return next((each for each in reversed(contents) if isinstance(each, Path)), None)


def _flow_type(registry: Registry, name: str) -> FlowType:
    return flow_class(adapt_class(registry.resolve("flow", name)))


def _written_text(reference: str) -> str:
    """The docstring of `module:attribute`, a class or what is made of one, as the source has it; ""
    where that does not say it."""
    module, _, name = reference.partition(":")
    spec = find_spec(module)
    if spec is None or spec.origin is None:
        return ""
    for each in ast.parse(Path(spec.origin).read_bytes()).body:
        match each:
            case ast.ClassDef() if each.name == name:
                return ast.get_docstring(each) or ""
            case ast.Assign(
                targets=[ast.Name(id=made)], value=ast.Call(args=[ast.Name(id=of), *_])
            ) | ast.AnnAssign(ast.Name(id=made), value=ast.Call(args=[ast.Name(id=of), *_])) if (
                made == name
            ):  # NAME = Variant(CLASS, ...)
                return _written_text(f"{module}:{of}")
            case ast.ImportFrom(module=str(other)) if any(one.name == name for one in each.names):
                return _written_text(f"{other}:{name}")
    return ""


def _base(kind: FlowType) -> type[Flow]:
    return kind.base if isinstance(kind, Variant) else kind


def _text_of(kind: FlowType, written: object = None) -> str:
    """The docstring of a class; that of the user's own, where ours only calls it."""
    base = written if _base(kind) is ClassFlow else _base(kind)
    return inspect.cleandoc(getattr(base, "__doc__", None) or "")


def _sentence(text: str) -> str:
    found = _SENTENCE.match(text)
    return " ".join((found[0] if found else text).split())


def _type_text(kind: Any) -> str:
    """A type as Python writes it, without modules and what is only for validation."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _type_text(inner[0])
    if origin is Literal:
        return " | ".join(map(repr, inner))
    if origin in (Union, UnionType):
        return " | ".join(map(_type_text, inner))
    if kind is Ellipsis:
        return "..."
    if origin is None:
        return "None" if kind is type(None) else getattr(kind, "__name__", str(kind))
    return f"{_type_text(origin)}[{', '.join(map(_type_text, inner))}]"


def _ports(model: type[Ports], undeclared: type[Ports]) -> tuple[CardField, ...] | None:
    return None if model is undeclared else tuple(_fields(model.model_fields, {}))


def _fields(fields: Mapping[str, FieldInfo], preset: Mapping[str, Any]) -> Iterator[CardField]:
    own = [each for each in fields if each not in FlowConfig.model_fields]
    for name in (*own, *(each for each in fields if each not in own)):
        info = fields[name]
        needed = info.is_required() and name not in preset
        default = preset.get(name, None if needed else info.get_default(call_default_factory=True))
        yield CardField(
            info.alias or name,
            _type_text(info.annotation),
            needed,
            to_jsonable_python(default, fallback=str),
            info.description or "",
        )


def _outlined(name: str, outline: Outline) -> FlowCard:
    inputs, keys = ([_outlined_field(*each) for each in (given or {}).items()]
                    for given in (outline.inputs, outline.keys))  # fmt: skip
    outputs = outline.outputs
    return FlowCard(
        name,
        f"{name.partition(':')[0]}, which was read and not run",
        outline.doc,
        None if outline.inputs is None else tuple(inputs),
        None
        if outputs is None
        else tuple(CardField(each, "Any", True, None, "") for each in outputs),
        tuple(keys),
    )


def _outlined_field(name: str, field: OutlineField) -> CardField:
    return CardField(name, field.kind, field.needed, None, "")


def _card_beside(written: object) -> str:
    """The card in the package of a class that is not ours, without the header of its host."""
    module = sys.modules.get(getattr(written, "__module__", "") or "")
    file = getattr(module, "__file__", None)
    if file is None or module is None or module.__name__.startswith("flows."):
        return ""
    folder = Path(file).parent
    while (folder / "__init__.py").is_file():
        card = folder / CARD
        if card.is_file():
            text = card.read_text(encoding="utf-8", errors="replace")[:MOST_CHARS]
            return _HEADER.sub("", text).strip()
        folder = folder.parent
    return ""
