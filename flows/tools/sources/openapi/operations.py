"""The operations of an OpenAPI document as descriptions of functions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from flows.core.destination import origin_of
from flows.core.flow import Effect
from flows.core.function_description import FunctionDescription, JsonSchema
from flows.errors import ConfigError
from flows.tools.description.result_fields import field_paths
from flows.tools.sources.foreign_schema import MOST_PARTS, SchemaReader, described, shape
from flows.tools.sources.function_names import LONGEST_NAME, FunctionNames, ascii_name
from flows.tools.sources.openapi.bodies import (
    FORM_BODY,
    MULTIPART_BODY,
    form_fields,
    media_type,
    media_types,
)
from flows.tools.sources.openapi.document import FoundOperation, OpenAPIDocument, server_url
from flows.tools.sources.openapi.operation import Body, Operation, Part, RequestArgument
from flows.tools.sources.references import Position, Resolved, SchemaReferences
from flows.tools.text import cap, plain

_MOST_TEXT: Final = 1_000
_MOST_ARGUMENTS: Final = 500
_MOST_PARTS: Final = 300_000
_FEW_PARTS: Final = 20
_REPLY_PARTS: Final = 200  # of which a few words are made
# Headers that the client itself decides.
_OWN_HEADERS: Final = frozenset({
    "accept", "accept-encoding", "authorization", "connection", "content-length", "content-type",
    "cookie", "host", "proxy-authorization", "te", "transfer-encoding", "upgrade", "user-agent",
})  # fmt: skip
_EFFECTS: Final[Mapping[str, Effect]] = {
    "get": "pure", "head": "pure", "options": "pure", "trace": "pure", "put": "idempotent",
    "delete": "idempotent",
}  # fmt: skip


@dataclass(frozen=True)
class OperationReader:
    """Reads the operations of a document. `hidden` are the names of headers and of parameters of
    the query that carry the key, which no argument may set; `base_url` is where it is called. When
    the schemas of operations have come to `most_parts`, those of the others are cut short."""

    document: OpenAPIDocument
    namespace: str
    base_url: str = ""
    hidden: frozenset[str] = frozenset()
    most_parts: int = _MOST_PARTS

    def read(self) -> Iterator[Operation | ConfigError]:
        """All operations that can be called, and why others cannot, each with its place."""
        names, references = FunctionNames(), self.document.references
        allowance = _PartAllowance(self.most_parts)
        for each in self.document.operations(references):
            if isinstance(each, ConfigError):
                yield each
                continue
            try:
                yield _OneOperation(self, each, references, allowance).read(names)
            except ConfigError as error:
                name = names.as_written(each.operation.values.get("operationId"), _otherwise(each))
                problem = f"{name} ({each.method.upper()} {plain(each.path)}): {error.problem}"
                yield self.document.fault(problem, each.operation.at)


@dataclass
class _PartAllowance:
    """The parts of schemas that the operations of a document may have in all; each may have a few
    when they are used up. A small document can name large schemas very often."""

    left: int
    is_told: bool = False

    @property
    def of_one(self) -> int:
        return MOST_PARTS if self.left > 0 else _FEW_PARTS

    def notes(self) -> list[str]:
        """Once, that it is used up."""
        if self.left > 0 or self.is_told:
            return []
        self.is_told = True
        return [f"from here on schemas are cut after {_FEW_PARTS} parts: the document has so many"]


@dataclass(frozen=True)
class _OneOperation:
    """One operation while it is read."""

    reader: OperationReader
    found: FoundOperation
    references: SchemaReferences
    allowance: _PartAllowance

    def read(self, names: FunctionNames) -> Operation:
        """Errors: `ConfigError` for one that cannot be called."""
        found, operation = self.found, self.found.operation.values
        if self._is_elsewhere():
            raise ConfigError("it is at an address of its own, which nobody has allowed")
        schemas = SchemaReader(self.references, most_parts=self.allowance.of_one)
        parts: list[Part] = list(self._parameters(schemas))
        body, given, notes = self._body(schemas)
        parts += given
        self.allowance.left -= schemas.parts
        if schemas.faults:
            raise ConfigError("; ".join(schemas.faults[:3]))
        parts = _with_own_names(parts)
        result = self._result()
        schema: JsonSchema = {
            "type": "object",
            "properties": {each.name: part for each, part, _ in parts},
        }
        if required := [each.name for each, _, is_required in parts if is_required]:
            schema["required"] = required
        effect = _EFFECTS.get(found.method, "once")
        description = FunctionDescription(
            name=names.free(operation.get("operationId"), _otherwise(found)),
            description=_text(operation, found.item.values, found.method, found.path),
            parameters=schema,
            returns=result.told,
            fields=result.fields,
            namespace=self.reader.namespace,
            function_class="api",
            source=f"openapi:{self.reader.document.file.name}",
            effect=effect,
            changing=effect != "pure",
        )
        arguments = tuple(each for each, _, _ in parts)
        notes += self.allowance.notes()
        notes += [f"what it returns is not told: {each}" for each in result.faults]
        return Operation(description, found.method, found.path, arguments, body, tuple(notes))

    def _resolved(self, value: Any, at: Position) -> Resolved:
        """Errors: `ConfigError` for a reference that leads nowhere."""
        resolved = self.references.resolve(value, at)
        if resolved.fault:
            raise ConfigError(resolved.fault)
        return resolved

    def _is_elsewhere(self) -> bool:
        """Whether the operation has a server of its own, at an address that nobody has allowed."""
        holders = (self.found.operation.values, self.found.item.values)
        servers = next((each["servers"] for each in holders if each.get("servers")), None)
        if not isinstance(servers, list) or not self.reader.base_url:
            return False
        address = server_url(servers[0])
        try:
            return bool(address) and origin_of(address) != origin_of(self.reader.base_url)
        except ValueError:
            return True

    def _parameters(self, schemas: SchemaReader) -> Iterator[Part]:
        """The parameters of path, query and header; those of the operation before its path's."""
        known: set[tuple[str, str]] = set()
        for given in (self.found.operation, self.found.item):
            at = given.at.below("parameters")
            if (count := len(_list(given.values, "parameters"))) > _MOST_ARGUMENTS:
                raise ConfigError(f"it takes {count:,} arguments; {_MOST_ARGUMENTS} are the most")
            for number, each in enumerate(_list(given.values, "parameters")):
                parameter = self._resolved(each, at.below(number))
                wire = str(parameter.values.get("name", ""))
                where = str(parameter.values.get("in"))
                if where == "cookie" and parameter.values.get("required") is True:
                    self._check_cookie(wire)
                if (wire, where) not in known and not self._is_own(wire, where):
                    known.add((wire, where))
                    yield _parameter(wire, where, parameter, schemas)
        for wire in re.findall(r"\{([^{}]+)\}", self.found.path):
            if (wire, "path") not in known:  # a part of the path that the document forgot
                yield RequestArgument(wire, "path", wire, "simple", False), {"type": "string"}, True

    def _check_cookie(self, wire: str) -> None:
        """Errors: `ConfigError` for a cookie that is needed and is not the key."""
        if wire.lower() not in self.reader.hidden:
            name = cap(plain(wire), LONGEST_NAME)
            raise ConfigError(f"it needs the cookie {name!r}, which is sent only as a key (auth)")

    def _is_own(self, wire: str, where: object) -> bool:
        if where not in ("path", "query", "header") or not wire:
            return True
        lowered = wire.lower()
        return (where != "path" and lowered in self.reader.hidden) or (
            where == "header" and lowered in _OWN_HEADERS
        )

    def _body(self, schemas: SchemaReader) -> tuple[Body, list[Part], list[str]]:
        """The body, its arguments, and notes on what cannot be given. Errors: `ConfigError` for a
        body that is required and of a kind that is not written here."""
        if "requestBody" not in self.found.operation.values:
            return Body(), [], []
        at = self.found.operation.at.below("requestBody")
        given = self._resolved(self.found.operation.values["requestBody"], at)
        kind, others = media_type(given.values), media_types(given.values)
        is_required = given.values.get("required") is True
        if not kind and is_required:
            raise ConfigError(f"its body is {others or 'of no kind'}, which is not written here")
        if not kind:
            return Body(), [], [f"its body, {others}, cannot be given"] if others else []
        content = self._resolved(given.values["content"][kind], given.at.below("content", kind))
        schema = schemas.read(content.values.get("schema"), content.at.below("schema"))
        body = Body(kind)
        if body.bare_kind in (FORM_BODY, MULTIPART_BODY):
            is_multipart = body.bare_kind == MULTIPART_BODY
            encoding = content.values.get("encoding")
            body = Body(kind, form_fields(schema, encoding, multipart=is_multipart))
            schema.setdefault("type", "object")
        return body, list(_body_parts(given.values, schema, is_required=is_required)), []

    def _result(self) -> _Result:
        """The first reply that says it worked."""
        replies = self.found.operation.values.get("responses")
        codes = sorted(map(str, replies)) if isinstance(replies, Mapping) else []
        good = next((each for each in codes if each.startswith("2")), None)
        if good is None or not isinstance(replies, Mapping):
            return _Result()
        at = self.found.operation.at.below("responses", good)
        reply = self.references.resolve(
            next(value for code, value in replies.items() if str(code) == good), at
        )
        text, media = described(reply.values), media_type(reply.values)
        if reply.fault or not media:
            return _Result(text, faults=[reply.fault] if reply.fault else [])
        content = self.references.resolve(
            reply.values["content"][media], reply.at.below("content", media)
        )
        schemas = SchemaReader(self.references, False, min(_REPLY_PARTS, self.allowance.of_one))
        schema = schemas.read(content.values.get("schema"), content.at.below("schema"))
        self.allowance.left -= schemas.parts
        told = ": ".join(each for each in (text, shape(schema)) if each)
        faults = [content.fault] if content.fault else schemas.faults[:3]
        return _Result(told, field_paths(schema), faults)


@dataclass(frozen=True)
class _Result:
    """What an operation gives, in a sentence, its fields, and which of its references lead
    nowhere."""

    told: str = ""
    fields: tuple[str, ...] = ()
    faults: list[str] = field(default_factory=list)


def _body_parts(
    body: Mapping[str, Any], schema: JsonSchema, *, is_required: bool
) -> Iterator[Part]:
    """The properties of an object as arguments of their own; any other body as `body`."""
    properties = schema.get("properties")
    if not properties or not is_required or "anyOf" in schema:
        if text := described(body):
            schema.setdefault("description", text)
        yield RequestArgument("body", "whole body", "body"), schema, is_required
        return
    wanted = schema.get("required", ())
    for name, part in properties.items():
        yield RequestArgument(name, "body", name), part, name in wanted


def _parameter(wire: str, where: str, parameter: Resolved, schemas: SchemaReader) -> Part:
    """A parameter that is in the path, the query or a header."""
    values = parameter.values
    schema = schemas.read(*_schema_of(parameter))
    if text := described(values):
        schema["description"] = text
    style = str(values.get("style") or ("form" if where == "query" else "simple"))
    explode = values.get("explode")
    argument = RequestArgument(
        wire,
        where,  # type: ignore[arg-type]  # one of three, as _is_own has seen
        wire,
        style,
        explode if isinstance(explode, bool) else style == "form",
    )
    return argument, schema, where == "path" or values.get("required") is True


def _otherwise(found: FoundOperation) -> str:
    """What an operation without an id is named by."""
    return f"{found.method}{found.path}"


def _schema_of(parameter: Resolved) -> tuple[Any, Position]:
    """The schema of a parameter, or of the first of its contents, and where it stands."""
    values = parameter.values
    content = values.get("content")
    if "schema" in values or not isinstance(content, Mapping) or not content:
        return values.get("schema"), parameter.at.below("schema")
    kind, first = next(iter(content.items()))
    at = parameter.at.below("content", kind, "schema")
    return (first.get("schema") if isinstance(first, Mapping) else None), at


def _with_own_names(parts: list[Part]) -> list[Part]:
    """The same with a name for each: of two that are called alike, the later gets its location, or
    a number."""
    taken: set[str] = set()
    made = []
    for argument, schema, is_required in parts:
        name = ascii_name(argument.name, "_.-")
        if not name or name in taken:
            name = f"{argument.location.replace(' ', '_')}_{name}"[:LONGEST_NAME].rstrip("_")
        start, number = name[: LONGEST_NAME - 8], 1
        while name in taken:
            number += 1
            name = f"{start}_{number}"
        taken.add(name)
        if not argument.name.isascii():  # whoever reads the name knows what the API calls it
            told = (cap(plain(argument.name), LONGEST_NAME), schema.get("description", ""))
            schema["description"] = ": ".join(each for each in told if each)
        made.append((replace(argument, name=name), schema, is_required))
    return made


def _text(operation: Mapping[str, Any], item: Mapping[str, Any], method: str, path: str) -> str:
    said = [operation.get("summary"), operation.get("description") or item.get("description")]
    texts = dict.fromkeys(plain(each) for each in said if isinstance(each, str) and each.strip())
    return cap("\n".join(texts), _MOST_TEXT) or f"{method.upper()} {path}"


def _list(holder: Mapping[str, Any], key: str) -> list[Any]:
    found = holder.get(key)
    return found if isinstance(found, list) else []
