"""What a model was sent, to the byte, and where each part of it comes from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path as FilePath
from typing import Any

from pydantic import ValidationError

from flows.build.bodies import body_model, config_path, model_path, value_at
from flows.core.chat import ChatModel, ChatRequest, Message
from flows.core.loop import run_coroutine
from flows.core.recording import body_digest
from flows.core.rows import Row
from flows.data.catalog import Catalog, describe_text
from flows.data.dictionary_catalog import DescribedCatalog
from flows.data.meaning.dictionary_file import read_dictionary
from flows.data.tables import Table
from flows.errors import ConfigError, FlowsError, SourceError
from flows.explain.body_parts import BodyPart, PartOrigin, document_of, parts_of
from flows.explain.containment import Path
from flows.explain.decision_parts import asked_again, wording_of
from flows.explain.refusals import without_refused
from flows.explain.request_parts import Wording
from flows.explain.retrace import Retold, RetracedStep, retrace
from flows.library.blocks.chat import ChatFlow
from flows.library.interpreter.decide import DecideFlow
from flows.library.interpreter.summarize import SummarizeFlow
from flows.models.refusals import refusals_disregarded
from flows.records.steps import flow_path
from flows.runners.fork import COPIED
from flows.semantics.model import SemanticModel
from flows.semantics.models import SemanticModels

_CHANGED = (
    "something has changed since that the journal does not hold, such as the code of the flow or "
    "of the model"
)
_NO_DIGEST = "the journal is of an older version, which recorded no digest of the request"


@dataclass(frozen=True, slots=True)
class Sent:
    """A request to a model. `body` is None when it cannot be built again, for the reason `why`.

    `matches` says that these are the bytes that were sent: their digest is the recorded one; if
    not, `why` says what is known of the difference. `at` is in seconds since 1970. It is the first
    attempt: of one that the endpoint refused, it may have got another at once.
    """

    step: str
    model: str
    digest: str = ""
    at: float | None = None
    body: bytes | None = None
    matches: bool = False
    why: str = ""
    parts: tuple[BodyPart, ...] = ()


class Requests:
    """Builds the requests of a run that was retold again."""

    def __init__(self, told: Retold, trust: Sequence[str] = ()) -> None:
        self.told = told
        self.trust = trust
        self._start = told.rows[0]

    def of(self, step: RetracedStep) -> Sent:
        """The last request of a step that asked a model."""
        calls = self.told.rows_at(step.address, "call")
        row = calls[-1] if calls else None
        section = self._section(step)
        name = str(row.data()["model"]) if row else str(section.get("model", "its model"))
        sent = Sent(step.address, name)
        if row is not None:
            sent = replace(sent, digest=row.digest, at=row.at)
        if (copied := step.row.data().get(COPIED) if step.row else None) is not None:
            why = f"the reply was taken over from the run {copied}; ask there for the request"
            return replace(sent, why=why)
        if not isinstance(step.flow, ChatFlow | DecideFlow | SummarizeFlow):
            kind = step.flow.code_class.__name__
            return replace(
                sent, why=f"only a chat flow's request can be built again, not a {kind}'s"
            )
        try:
            model = body_model(section, self.trust)
            then = self._as_it_was(step, row)
            if isinstance(then.flow, ChatFlow):
                return self._built(sent, then, then.flow, model, row)
            return self._of_interpreter(sent, then, model, row)
        except (FlowsError, ValidationError, OSError) as error:
            return replace(sent, why=f"the request cannot be built again: {error}")

    def _as_it_was(self, step: RetracedStep, row: Row | None) -> RetracedStep:
        """The step, retold with other prompts if the run had been gone on with others by then."""
        starts = [each for each in self.told.rows if each.kind == "start"]
        then = [each for each in starts if row is not None and each.seq < row.seq]
        start = then[-1] if then else starts[0]
        if start.data().get("prompts") != self._start.data().get("prompts"):
            told = self.told
            self.told = run_coroutine(retrace(told.place, told.plan, told.rows, start))
            self._start = start
        return self.told.steps[step.address]

    def _built(
        self, sent: Sent, step: RetracedStep, flow: ChatFlow, model: ChatModel, row: Row | None
    ) -> Sent:
        system = self._system(step, row)
        request, body = self._body(step, flow, model, row, system, ())
        body, refused = _after_refusals(body, sent.digest)
        if row is not None and body_digest(body) != row.digest and flow.catalog is not None:
            # It reads more of the tables than the prompt says of them.
            if isinstance(self.tables, str):
                return replace(sent, why=f"the data sources cannot be read now: {self.tables}")
            request, body = self._body(step, flow, model, row, system, self.tables, self.meaning)
        matches = row is not None and body_digest(body) == row.digest
        why = refused if matches else self._why(flow, row, system)
        origins = Wording(self.told, step, flow, self._sources())
        keys = self._keys(step, model, row, body, asks_json=flow.config.json_reply)
        values = {**origins.values(request), **keys}
        form = PartOrigin("form", f"the form of a request to {sent.model}")
        parts = parts_of(body, origins.messages(request), values, form)
        return replace(sent, body=body, matches=matches, why=why, parts=parts)

    def _of_interpreter(
        self, sent: Sent, step: RetracedStep, model: ChatModel, row: Row | None
    ) -> Sent:
        """The request of a step of an interpreter, whose prompts show nothing but its inputs."""
        request = asked_again(step, self.told)
        assert request is not None  # `of` has seen its flow
        body = _bounded_body(request, model, row)
        body, refused = _after_refusals(body, sent.digest)
        matches = row is not None and body_digest(body) == row.digest
        why = refused if matches else _NO_DIGEST if row is None else _CHANGED
        wording = wording_of(step, self.told)
        keys = self._keys(step, model, row, body, asks_json=request.json_reply)
        form = PartOrigin("form", f"the form of a request to {sent.model}")
        values = {**wording.values(request), **keys}
        parts = parts_of(body, wording.messages(request), values, form)
        return replace(sent, body=body, matches=matches, why=why, parts=parts)

    def _body(
        self,
        step: RetracedStep,
        flow: ChatFlow,
        model: ChatModel,
        row: Row | None,
        system: str | None,
        tables: tuple[Table, ...],
        meaning: SemanticModel | None = None,
    ) -> tuple[ChatRequest, bytes]:
        """The request and its bytes, with the system prompt as it was recorded."""
        if row is None and not isinstance(self.tables, str):
            tables, meaning = self.tables, self.meaning
        request = flow.request(step.state, step.given, tables, meaning)
        if flow.system is not None and system is not None:
            said = Message(role="system", content=system)
            request = replace(request, messages=(said, *request.messages[1:]))
        return request, _bounded_body(request, model, row)

    def _system(self, step: RetracedStep, row: Row | None) -> str | None:
        """The system prompt that was sent: of the last call of the flow that recorded one."""
        if row is None:
            return None
        texts = [
            each.data()["system"]
            for each in self.told.rows
            if each.kind == "call"
            and each.seq <= row.seq
            and flow_path(each.address) == step.flow.path
            and "system" in each.data()
        ]
        return texts[-1] if texts else None

    def _why(self, flow: ChatFlow, row: Row | None, system: str | None) -> str:
        if row is None:
            return _NO_DIGEST
        reads = flow.system is not None and "tables" in flow.system.variables
        tables = self.tables if flow.catalog is not None and reads else ""
        if not isinstance(tables, str) and describe_text(tables) not in (system or ""):
            return "the data sources have changed since"
        return _CHANGED

    @property
    def tables(self) -> tuple[Table, ...] | str:
        """The tables of the data sources as they are now, or why they cannot be read."""
        return self._data if isinstance(self._data, str) else self._data[0]

    @property
    def meaning(self) -> SemanticModel | None:
        """What the data mean as they are now; None where they cannot be read."""
        return None if isinstance(self._data, str) else self._data[1]

    @cached_property
    def _data(self) -> tuple[tuple[Table, ...], SemanticModel] | str:
        spec = self.told.plan.spec
        dictionary, declared = (spec.get(key) for key in ("dictionary", "semantic_model"))
        try:
            sources, base = self._sources(), self.told.plan.base
            catalog = Catalog(sources, base)
            if dictionary:
                known = read_dictionary(FilePath(dictionary))
                catalog = DescribedCatalog(sources, base, dictionary=known)
            with catalog:
                file = FilePath(declared) if declared else None
                return catalog.tables(), SemanticModels(catalog, declared=file).model()
        except (SourceError, ConfigError) as error:
            return str(error)

    def _sources(self) -> Mapping[str, str]:
        sources: Mapping[str, str] = self.told.plan.spec.get("data") or {}
        return sources

    def _section(self, step: RetracedStep) -> Mapping[str, Any]:
        """The part of the config that describes the model of a step."""
        spec = self.told.spec_at(step.address)
        section = value_at(spec, model_path(spec, step.flow.path))
        return section if isinstance(section, Mapping) else {}

    def _keys(
        self, step: RetracedStep, model: ChatModel, row: Row | None, body: bytes, *, asks_json: bool
    ) -> dict[Path, PartOrigin]:
        """The parameters of the request that a key of the config says."""
        spec, flow = self.told.spec_at(step.address), step.flow
        own, shared = config_path(spec, flow.path), model_path(spec, flow.path)
        given = value_at(spec, shared) or {}
        config = getattr(model, "Config", None)
        fields = config.model_fields if config is not None else {}
        found: dict[Path, PartOrigin] = {}
        for name, value in document_of(body).items():
            key = "max_tokens" if name == "max_completion_tokens" else name
            if key in ("temperature", "max_tokens") and getattr(flow.config, key, None) is not None:
                found[(name,)] = _key((*own, key))
            elif key in given and str(given[key]) in str(value):
                found[(name,)] = _key((*shared, key))
            elif key == "max_tokens" and row is not None:
                found[(name,)] = _key(("limits", "reply_tokens"))
            elif key in fields and fields[key].default == value:
                dotted = _key((*shared, key)).key
                found[(name,)] = PartOrigin("config", f"the default of {dotted}", key=dotted)
            elif key == "response_format" and asks_json:
                asks = f"{flow.path or flow.name} asks for JSON"
                found[(name,)] = PartOrigin("config", asks, key="json_reply")
        return found


def _bounded_body(request: ChatRequest, model: ChatModel, row: Row | None) -> bytes:
    """The bytes of a request, with the limit of tokens that was recorded for it."""
    limit = row.data().get("max_tokens") if row else None
    if limit is not None:
        request = request.bounded(limit)
    with refusals_disregarded():  # what was refused later than the run is no part of it
        return model.body(request)


def _after_refusals(body: bytes, digest: str) -> tuple[bytes, str]:
    """The body as the digest says that it was sent, if it is one of those after a refusal."""
    if digest and body_digest(body) != digest:
        for other, refused in without_refused(body):
            if body_digest(other) == digest:
                return other, f"the endpoint had refused {refused} before"
    return body, ""


def _key(path: Sequence[str]) -> PartOrigin:
    key = ".".join(name for name in path if name != "subflows_config")
    return PartOrigin("config", f"{key} in the config", key=key)
