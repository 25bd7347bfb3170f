"""The operations of an OpenAPI document as descriptions of functions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from flows.core.destination import origin_of
from flows.core.flow import Effect
from flows.core.function_description import FunctionDescription, JsonSchema
from flows.tools.description.result_fields import field_paths
from flows.tools.sources.foreign_schema import SchemaReader, described, shape
from flows.tools.sources.function_names import LONGEST_NAME, FunctionNames
from flows.tools.sources.openapi.document import OpenAPIDocument, server_url
from flows.tools.text import cap, plain

Location = Literal["path", "query", "header", "body", "whole body"]
JSON_BODY: Final = "application/json"
FORM_BODY: Final = "application/x-www-form-urlencoded"
_MOST_TEXT: Final = 1_000
_MOST_OPERATIONS: Final = 5_000
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
class RequestArgument:
    """An argument of a function, and where the request has it: `wire` is its name there."""

    name: str
    location: Location
    wire: str
    style: str = ""
    explode: bool = True


# An argument, its schema, and whether it is required.
Part: TypeAlias = tuple[RequestArgument, JsonSchema, bool]


@dataclass(frozen=True)
class Operation:
    """A function of an API: what it says of itself, and the request that calls it. `body` is the
    media type of its body, "" if it has none."""

    description: FunctionDescription
    method: str
    path: str
    arguments: tuple[RequestArgument, ...]
    body: str = ""


@dataclass(frozen=True)
class OperationReader:
    """Reads the operations of a document. `hidden` are the names of headers and of parameters of
    the query that carry the key, which no argument may set; `base_url` is where it is called."""

    document: OpenAPIDocument
    namespace: str
    base_url: str = ""
    hidden: frozenset[str] = frozenset()

    def read(self) -> tuple[Operation, ...]:
        """All operations that can be called with arguments in JSON."""
        names = FunctionNames()
        found: list[Operation] = []
        for path, method, operation, item in self.document.operations():
            if len(found) >= _MOST_OPERATIONS:
                break
            if self._is_elsewhere(operation, item):
                continue
            made = self._operation(path, method, operation, item, names)
            if made is not None:
                found.append(made)
        return tuple(found)

    def _is_elsewhere(self, operation: Mapping[str, Any], item: Mapping[str, Any]) -> bool:
        """Whether the operation has a server of its own, at an address that nobody has allowed."""
        servers = operation.get("servers") or item.get("servers")
        if not isinstance(servers, list) or not servers or not self.base_url:
            return False
        address = server_url(servers[0])
        try:
            return bool(address) and origin_of(address) != origin_of(self.base_url)
        except ValueError:
            return True

    def _operation(
        self,
        path: str,
        method: str,
        operation: Mapping[str, Any],
        item: Mapping[str, Any],
        names: FunctionNames,
    ) -> Operation | None:
        reader = SchemaReader(self.document.references)
        parts: list[Part] = list(self._parameters(path, operation, item, reader))
        body = self.document.resolve(operation.get("requestBody"))
        media = _media_type(body)
        if body and not media and body.get("required") is True:
            return None  # a body of another kind than JSON or a form, such as a file
        if media:
            parts += self._body(body, media, reader)
        parts = _with_own_names(parts)
        name = names.free(operation.get("operationId"), f"{method}{path}")
        schema: JsonSchema = {
            "type": "object",
            "properties": {each.name: part for each, part, _ in parts},
        }
        if required := [each.name for each, _, is_required in parts if is_required]:
            schema["required"] = required
        returns, fields = self._result(operation)
        description = FunctionDescription(
            name=name,
            description=_text(operation, item, method, path),
            parameters=schema,
            returns=returns,
            fields=fields,
            namespace=self.namespace,
            function_class="api",
            source=f"openapi:{self.document.file.name}",
            effect=_EFFECTS.get(method, "once"),
        )
        return Operation(description, method, path, tuple(each for each, _, _ in parts), media)

    def _parameters(
        self,
        path: str,
        operation: Mapping[str, Any],
        item: Mapping[str, Any],
        reader: SchemaReader,
    ) -> Iterator[Part]:
        """The parameters of path, query and header; those of the operation before its path's."""
        known: set[tuple[str, str]] = set()
        for each in [*_list(operation, "parameters"), *_list(item, "parameters")]:
            parameter = self.document.resolve(each)
            wire, where = str(parameter.get("name", "")), parameter.get("in")
            if (wire, str(where)) in known or self._is_own(wire, where):
                continue
            known.add((wire, str(where)))
            schema = reader.read(_schema_of(parameter))
            if text := described(parameter):
                schema["description"] = text
            style = str(parameter.get("style") or ("form" if where == "query" else "simple"))
            explode = parameter.get("explode")
            argument = RequestArgument(
                wire,
                where,  # type: ignore[arg-type]  # one of three, as _is_own has seen
                wire,
                style,
                explode if isinstance(explode, bool) else style == "form",
            )
            yield argument, schema, where == "path" or parameter.get("required") is True
        for wire in re.findall(r"\{([^{}]+)\}", path):
            if (wire, "path") not in known:  # a part of the path that the document forgot
                yield RequestArgument(wire, "path", wire, "simple", False), {"type": "string"}, True

    def _is_own(self, wire: str, where: object) -> bool:
        if where not in ("path", "query", "header") or not wire:
            return True
        lowered = wire.lower()
        return (where != "path" and lowered in self.hidden) or (
            where == "header" and lowered in _OWN_HEADERS
        )

    def _body(self, body: Mapping[str, Any], media: str, reader: SchemaReader) -> Iterator[Part]:
        """The properties of an object as arguments of their own; any other body as `body`."""
        content = self.document.resolve(body["content"][media])
        schema = reader.read(content.get("schema"))
        is_required = body.get("required") is True
        properties = schema.get("properties")
        if not properties or not is_required or "anyOf" in schema:
            if text := described(body):
                schema.setdefault("description", text)
            yield RequestArgument("body", "whole body", "body"), schema, is_required
            return
        wanted = schema.get("required", ())
        for name, part in properties.items():
            yield RequestArgument(name, "body", name), part, name in wanted

    def _result(self, operation: Mapping[str, Any]) -> tuple[str, tuple[str, ...]]:
        """What it gives, in a sentence, by the first reply that says it worked; and the fields of
        that."""
        replies = operation.get("responses")
        codes = sorted(map(str, replies)) if isinstance(replies, Mapping) else []
        good = next((each for each in codes if each.startswith("2")), None)
        if good is None or not isinstance(replies, Mapping):
            return "", ()
        reply = self.document.resolve(next(v for k, v in replies.items() if str(k) == good))
        reader = SchemaReader(self.document.references, for_request=False)
        text = described(reply)
        if media := _media_type(reply):
            schema = reader.read(self.document.resolve(reply["content"][media]).get("schema"))
            told = ": ".join(each for each in (text, shape(schema)) if each)
            return told, field_paths(schema)
        return text, ()


def _media_type(holder: Mapping[str, Any]) -> str:
    """The media type of a content that is read and written here: JSON before a form."""
    content = holder.get("content")
    if not isinstance(content, Mapping):
        return ""
    kinds = [str(each) for each in content]
    for wanted in (JSON_BODY, "+json", FORM_BODY, "*/*"):
        for each in kinds:
            bare = each.partition(";")[0].strip().lower()
            if bare == wanted or (wanted == "+json" and bare.endswith(wanted)):
                return each
    return ""


def _schema_of(parameter: Mapping[str, Any]) -> Any:
    if "schema" in parameter:
        return parameter["schema"]
    content = parameter.get("content")
    first = next(iter(content.values()), None) if isinstance(content, Mapping) else None
    return first.get("schema") if isinstance(first, Mapping) else None


def _with_own_names(
    parts: list[Part],
) -> list[Part]:
    """The same with a name for each: of two that are called alike, the later gets its location."""
    taken: set[str] = set()
    made = []
    for argument, schema, is_required in parts:
        name = re.sub(r"[^A-Za-z0-9_.-]+", "_", argument.name)[:LONGEST_NAME]
        if name in taken:
            name = f"{argument.location.replace(' ', '_')}_{name}"
        taken.add(name)
        named = RequestArgument(
            name, argument.location, argument.wire, argument.style, argument.explode
        )
        made.append((named, schema, is_required))
    return made


def _text(operation: Mapping[str, Any], item: Mapping[str, Any], method: str, path: str) -> str:
    said = [operation.get("summary"), operation.get("description") or item.get("description")]
    texts = dict.fromkeys(plain(each) for each in said if isinstance(each, str) and each.strip())
    return cap("\n".join(texts), _MOST_TEXT) or f"{method.upper()} {path}"


def _list(holder: Mapping[str, Any], key: str) -> list[Any]:
    found = holder.get(key)
    return found if isinstance(found, list) else []
