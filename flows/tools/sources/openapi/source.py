"""The operations of an OpenAPI document as functions that can be called."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Final

from pydantic import BaseModel, ConfigDict, Field

from flows.config.secret import env_name
from flows.core.destination import Destination, origin_of
from flows.core.function_description import Function, FunctionDescription
from flows.core.observation import Observation
from flows.errors import ConfigError, ToolError
from flows.tools.sources.authentication import CLIENT, Authentication, token_destinations
from flows.tools.sources.openapi.caller import Caller
from flows.tools.sources.openapi.document import base_url_of, read_document
from flows.tools.sources.openapi.offer import offered
from flows.tools.sources.openapi.operation import Operation
from flows.tools.sources.openapi.operations import OperationReader
from flows.tools.sources.openapi.request import request_of
from flows.tools.sources.results import Save, compact, marked, observation_of
from flows.tools.sources.web import MAX_BYTES, WebClient, WebReply
from flows.tools.text import cap, plain

_MOST_SAID: Final = 600  # characters of what a server says of an error
_FILES: Final = {
    "image/png": "png", "image/jpeg": "jpg", "image/gif": "gif", "image/webp": "webp",
    "application/pdf": "pdf", "application/zip": "zip", "application/octet-stream": "bin",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
}  # fmt: skip


class OpenAPISource:
    """The operations of an OpenAPI 3.0 or 3.1 document, called at one address that the person has
    allowed: `base_url`, or the document's first server. `notes` says what is left out."""

    class Config(BaseModel):
        """`operations` are those that are offered, by their names; all without it."""

        model_config = ConfigDict(frozen=True, extra="forbid")

        document: Path = Field(description="the OpenAPI document, JSON or YAML")
        base_url: str | None = Field(
            default=None, description="where the API is; the document's first server without it"
        )
        auth: Authentication | None = None
        operations: tuple[str, ...] | None = Field(
            default=None, description="the names of the operations that are offered"
        )
        read_only: bool = Field(
            default=False, description="offer those that only read (GET and HEAD)"
        )
        most_operations: int = Field(
            default=5_000, ge=1, description="operations that are offered, where none are named"
        )
        max_bytes: int = Field(default=MAX_BYTES, ge=1_000, le=256 * 1024 * 1024)
        namespace: str = "default"

    modules: ClassVar[tuple[str, ...]] = ("httpx",)

    @classmethod
    def destinations(cls, values: Mapping[str, Any]) -> tuple[Destination, ...]:
        """Where its functions send what they are called with, and the key. Errors: `ValueError`."""
        base_url = values.get("base_url")
        document = Path(values["document"])
        address = origin_of(base_url_of(document, base_url))
        auth = values.get("auth")
        secret = auth.get("secret") if isinstance(auth, Mapping) else None
        name = env_name(secret) or ("a key that is written out" if secret else "")
        files = (document, *read_document(document).other_files)
        at = ("base_url",) if base_url else ("document",)
        client = auth if isinstance(auth, Mapping) and auth.get("kind") == CLIENT else None
        api = Destination(
            address,
            name if client is None else "a token",
            usual=False,
            address_at=at,
            secret_at=("auth", "secret") if secret else (),
            files=files,
        )
        return (api,) if client is None else (api, *token_destinations(client))

    def __init__(self, config: OpenAPISource.Config) -> None:
        """Errors: `ConfigError` for a document that is none, and for an unknown operation."""
        try:
            base_url = base_url_of(config.document, config.base_url)
        except ValueError as error:
            raise ConfigError(str(error)) from error
        document = read_document(config.document)
        auth = config.auth
        hidden = frozenset({auth.name.lower()} if auth is not None and auth.name else ())
        reader = OperationReader(document, config.namespace, base_url, hidden)
        offer = offered(reader.read(), document.count(), config)
        self.notes = offer.notes
        self._caller = Caller(WebClient(base_url, config.max_bytes), base_url, auth)
        self._functions = tuple(OpenAPIFunction(each, self._caller) for each in offer.operations)

    async def functions(self) -> tuple[Function, ...]:
        return self._functions

    async def aclose(self) -> None:
        await self._caller.aclose()


class OpenAPIFunction:
    """An operation of an API. What the server says of an error is given back in its own words."""

    saves = True

    def __init__(self, operation: Operation, caller: Caller) -> None:
        self._operation = operation
        self._caller = caller

    @property
    def description(self) -> FunctionDescription:
        return self._operation.description

    async def call(self, arguments: Mapping[str, Any], save: Save | None = None) -> Observation:
        """`save` keeps a reply that is a file, such as a picture. Errors: `ToolError`."""
        request = request_of(self._operation, self._caller.base_url, arguments)
        reply = await self._caller.send(request)
        return marked(self._observed(reply, save), self._caller.origin)

    def _observed(self, reply: WebReply, save: Save | None) -> Observation:
        name = self.description.name
        if not 200 <= reply.status < 300:
            said = cap(_words(reply), _MOST_SAID)
            text = f"{name}: the server answered {reply.status} {plain(reply.reason)}"
            return Observation(kind="error", text=f"{text}: {said}" if said else text)
        if not reply.body:
            return Observation(kind="empty", text=f"{name} worked, and gave nothing back.")
        if reply.kind == "application/json" or reply.kind.endswith("+json"):
            return observation_of(_json(name, reply))
        if reply.kind.startswith("text/") or reply.kind in ("application/xml", ""):
            return observation_of(reply.text)
        return self._kept(reply, save)

    def _kept(self, reply: WebReply, save: Save | None) -> Observation:
        name, size = self.description.name, f"{len(reply.body):,} bytes"
        kind = _FILES.get(reply.kind)
        if kind is None or save is None:
            raise ToolError(f"{name} gave {size} of {plain(reply.kind)}, which cannot be read here")
        artifact = save(name, kind, reply.body, f"what {name} returned ({reply.kind})")
        figures = (artifact.name,) if reply.kind.startswith("image/") else ()
        text = f"{name} gave a file of {size} ({reply.kind}): the artifact {artifact.name}"
        return Observation(kind="ok", text=text, figures=figures)


def _json(name: str, reply: WebReply) -> Any:
    try:
        return json.loads(reply.body)
    except (ValueError, RecursionError) as error:
        raise ToolError(f"{name}: the server says that it sent JSON, and it is none") from error


def _words(reply: WebReply) -> str:
    """What the server says of an error, without the markup of a page."""
    if reply.kind == "text/html":
        return ""
    try:
        return compact(json.loads(reply.body))
    except (ValueError, RecursionError):
        return plain(reply.text) if reply.kind.startswith("text/") else ""
