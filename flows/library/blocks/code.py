"""Running Python code in the sandbox: a step of one's own, or what a model wrote."""

from __future__ import annotations

import asyncio
import inspect
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final

from pydantic import (
    AfterValidator,
    Field,
    TypeAdapter,
    ValidationError,
    create_model,
    model_validator,
)
from pydantic_core import to_json

from flows.core.artifacts import Origin
from flows.core.flow import AtomicConfig, AtomicFlow, FlowConfig, Parts, Ports
from flows.core.observation import Observation
from flows.core.ports import PortsSpec, check_ports, ports_model
from flows.core.run import Run
from flows.core.sandbox import CodeFault, Execution, Sandbox, Variable
from flows.core.values import Values
from flows.data.catalog import Catalog
from flows.data.meaning.code_lineage import of_made
from flows.data.meaning.dictionary import DataDictionary
from flows.data.tables import Table
from flows.errors import CodeFailed, ConfigError, nearest
from flows.library.blocks import handover
from flows.library.blocks.code_source import CodeSource
from flows.library.blocks.frames import DATA, Frames, kept_table, named_in
from flows.library.blocks.outcome import fault_of, fault_text, keep_all, observe_execution
from flows.sandbox.syntax import compiled
from flows.sandbox.validate import validate

CODE = "code"
RESERVED = (CODE, "observation", "fault", "variables", "frames", "sources", "kept", "dictionary")
HANDED = "outputs-of-the-step.json"
_SETTING: Final = frozenset({"exec", "eval", "globals", "locals", "vars"})


def check_variables(spec: PortsSpec) -> PortsSpec:
    """Ports that are variables of the code. Errors: `ValueError`."""
    for name in check_ports(spec):
        if not name.isidentifier() or name in RESERVED:
            raise ValueError(f"{name!r} cannot be a variable here (kept: {', '.join(RESERVED)})")
    return spec


Variables = Annotated[PortsSpec, AfterValidator(check_variables)]


class CodeConfig(AtomicConfig):
    """The keys of a code step. Without `code` and `file` the code is its input."""

    description: str = "Runs Python code in the sandbox, over the run's data."
    code: str | None = Field(default=None, description="the Python code")
    file: Path | None = Field(
        default=None, description="a file with it, from the run file's folder"
    )
    input_interface: Variables = Field(default=(), description="inputs that are its variables")
    output_interface: Variables = Field(default=(), description="variables that are its outputs")
    seconds: float | None = Field(default=None, gt=0, description="wall time, if not the sandbox's")

    @model_validator(mode="after")
    def _one_source(self) -> CodeConfig:
        if self.code is not None and self.file is not None:
            raise ValueError("a code step has `code` or `file`, not both")
        return self


class CodeInputs(Ports):
    code: str = Field(description="Python code; tables are data frames under their names")
    data: str = Field(
        default="",
        description="the name of a table that the run has kept, which is then the data frame data",
    )


class CodeOutputs(Ports):
    """`fault` is what ended the code early; `variables` are those it made, `frames` the tables
    that it named, of the sources `sources`. `kept` are the tables and models that it made, by
    their variables: the names of artifacts; `dictionary` tells the columns of its main table."""

    observation: Observation
    fault: CodeFault | None = None
    variables: tuple[Variable, ...] = ()
    frames: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    kept: dict[str, str] = Field(default={})
    dictionary: DataDictionary | None = None


@dataclass(frozen=True, slots=True)
class CodeState:
    """What lives on in the session: the pieces that worked, and what they made."""

    pieces: tuple[str, ...] = ()
    variables: tuple[Variable, ...] = ()
    frames: tuple[str, ...] = ()
    data: str = ""


class CodeFlow(AtomicFlow):
    """Runs code in the run's sandbox and keeps what it makes.

    Code that is an input shares one session with the flow's calls before, and its faults are
    outputs; a table that the run has kept may be its input `data`. Code of the config has a session
    of its own for each call, and a fault is an error.
    """

    needs: ClassVar[Mapping[str, str]] = {"data": "data", "sandbox": "sandbox"}
    Config: ClassVar[type[FlowConfig]] = CodeConfig
    Inputs: ClassVar[type[Ports]] = CodeInputs
    Outputs: ClassVar[type[Ports]] = CodeOutputs

    def __init__(self, config: CodeConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        self.catalog = parts.service("data", Catalog)
        self.sandbox: Sandbox = parts.service("sandbox", Sandbox)  # type: ignore[type-abstract]
        self.code = config.code
        if config.file is not None:
            self.code = _read(parts.base / config.file)
        self.source = self._source(config, parts)
        if self.code is not None and (fault := validate(self.code)) is not None:
            place = self.source.place(fault) if self.source else None
            told = f"{fault.type}: {fault.message}" if place else fault_text(fault)
            place = place or parts.place(CODE)
            raise ConfigError(f"the code of {self.name} is wrong: {told}", place=place)
        self._declare(config)
        if self.code is not None:
            self._check_made(self.code, parts)

    def _check_made(self, code: str, parts: Parts) -> None:
        """Errors: `ConfigError` for the outputs that the code does not even mention, unless it may
        set names that it does not spell."""
        names = compiled(code, "<code>").names
        unset = [each for each in self.made if not re.search(rf"\b{each}\b", code)]
        unset = [each for each in unset if each not in self.given]
        if unset and not names & _SETTING and "import *" not in code:
            text = f"the code of {self.name} never sets {', '.join(map(repr, unset))}"
            place = parts.place("output_interface")
            raise ConfigError(text, place=place, meant=nearest(unset[0], names))

    def _source(self, config: CodeConfig, parts: Parts) -> CodeSource | None:
        """Where the code stands, if it is in a file."""
        if config.file is not None:
            return CodeSource(str(config.file))
        return CodeSource.of(parts.place(CODE), self.code) if self.code is not None else None

    def _told(self, fault: CodeFault) -> str:
        if self.source is not None:
            return self.source.told(fault)
        return f"{fault_text(fault)}\n{fault.traceback}".strip()

    def _declare(self, config: CodeConfig) -> None:
        """The ports: variables that are declared, beside the code and the observation."""
        spec = config.input_interface
        types = spec if isinstance(spec, dict) else dict.fromkeys(spec, "any")
        if self.code is None:
            types = {**types, CODE: "str"}
        self.set_inputs(ports_model(self.name, types) if types != {CODE: "str"} else CodeInputs)
        self.given = tuple(name for name in types if name != CODE)
        self.made = tuple(config.output_interface)
        if self.made:
            spec = config.output_interface
            kinds = spec if isinstance(spec, dict) else dict.fromkeys(spec, "any")
            declared = ports_model(f"{self.name}Made", kinds).model_fields
            fields: Any = {name: (info.annotation, info) for name, info in declared.items()}
            self.outputs_type = create_model("CodeOutputs", __base__=CodeOutputs, **fields)
            self.outputs_adapter = TypeAdapter(self.outputs_type)
            self.dump_outputs = self.outputs_type.__pydantic_serializer__.to_json

    def output_names(self) -> frozenset[str]:
        return frozenset((*CodeOutputs.model_fields, *self.made))

    def prompts(self) -> Mapping[str, str]:
        """The code of a file, so that the run's record holds it."""
        if self.config.file is None or self.code is None:
            return {}
        return {self.config.file.name: self.code}

    def initial_state(self) -> CodeState:
        return CodeState()

    def apply(self, state: CodeState, inputs: Any, outputs: CodeOutputs) -> CodeState:
        if self.code is not None or outputs.fault is not None:
            return state
        known = {each.name: each for each in (*state.variables, *outputs.variables)}
        frames = dict.fromkeys((*state.frames, *outputs.frames))
        data = getattr(inputs, DATA, "") or state.data
        return CodeState((*state.pieces, inputs.code), tuple(known.values()), tuple(frames), data)

    async def run(self, inputs: Any, run: Run) -> CodeOutputs:
        code = self.code if self.code is not None else inputs.code
        if (fault := validate(code)) is not None:
            text = f"The code failed: {fault_text(fault)}"
            return CodeOutputs(observation=Observation(kind="error", text=text), fault=fault)
        if self.code is not None:
            return await self._own_step(inputs, run, code)
        before: CodeState = run.state
        if not before.pieces:  # nothing worked yet: what a failed piece left is not to be found
            await run.forget(self.sandbox, self.path)
        data = inputs.data if isinstance(inputs, CodeInputs) else ""
        return await self._step(run, code, self.path, before, data or before.data)

    async def _own_step(self, inputs: Any, run: Run, code: str) -> CodeOutputs:
        """Code of the config: its inputs are set before, its outputs are read after."""
        values = {name: getattr(inputs, name) for name in self.given}
        session = run.address or self.name
        try:
            if values:
                setting = await run.execute(self.sandbox, _assignments(values), session=session)
                _require(setting, "its inputs cannot be set")
            outputs = await self._step(run, code, session, CodeState())
            if outputs.fault is not None:
                raise CodeFailed(self._told(outputs.fault))
            made = await self._read_outputs(run, session) if self.made else {}
        finally:
            await run.forget(self.sandbox, session)
        try:
            found = self.outputs_type.model_validate({**outputs.__dict__, **made})
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            raise CodeFailed(
                f"the output {first['loc'][0]!r} does not fit: {first['msg']}"
            ) from error
        assert isinstance(found, CodeOutputs)
        return found

    async def _step(
        self, run: Run, code: str, session: str, before: CodeState, data: str = ""
    ) -> CodeOutputs:
        """Run valid code over the frames that it names, and keep what it made."""
        frames = Frames.of(self.catalog, run)
        known = await frames.tables()
        files, origin, read = {}, Origin(code=code), []
        if data:
            artifact = kept_table(data, run)
            read.append(await frames.kept(artifact, run.session.folder))
            files[DATA] = run.session.folder / next(
                each.path for each in artifact.files if each.kind == "parquet"
            )
            origin = Origin(code=code, artifacts={data: artifact.sha256})
        own = [name for name in known if name not in files]
        named = named_in(code, own, given=bool(data))
        used = [name for name in own if name in named or name in before.frames]
        read += [known[name] for name in used]
        execution = await run.execute(
            self.sandbox,
            code,
            tables={**await frames.files(used), **files},
            session=session,
            past=before.pieces,
            seconds=self.config.seconds,
        )
        execution = execution.model_copy(update={"fault": fault_of(execution)})
        sources = tuple(dict.fromkeys(known[name].source for name in used))
        origin = origin.model_copy(update={"inputs": await self._hashes(set(sources))})
        kept = await keep_all(run, execution, code, origin, read)
        observation = observe_execution(execution, kept, tuple(self.made))
        return CodeOutputs(
            observation=observation,
            fault=execution.fault,
            variables=execution.variables,
            frames=named,
            sources=sources,
            kept=kept.names(),
            dictionary=_dictionary(observation, code, read),
        )

    async def _hashes(self, sources: set[str]) -> dict[str, str]:
        found = {}
        for source in sorted(sources):
            found[source] = await asyncio.to_thread(self.catalog.source_hash, source)
        return found

    async def _read_outputs(self, run: Run, session: str) -> Values:
        """The declared variables. Errors: `CodeFailed` for one that is missing or no plain data."""
        names = list(self.made)
        code = f"{inspect.getsource(handover)}\nhand_over(globals(), {names!r}, {HANDED!r})\n"
        execution = await run.execute(self.sandbox, code, session=session)
        _require(execution, "its outputs cannot be read")
        content = next((each.content for each in execution.files if each.name == HANDED), b"")
        try:
            found = json.loads(content)
            return {name: found[name] for name in names}
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise CodeFailed(f"the outputs of {self.name} are no plain data: {error}") from error


def _dictionary(
    observation: Observation, code: str, read: Sequence[Table]
) -> DataDictionary | None:
    """What the columns of the main table are."""
    table = observation.table
    return None if table is None else of_made(table.columns, table.types, code, read)


def _assignments(values: Mapping[str, Any]) -> str:
    """Code that sets variables: as JSON, in which no value can be code."""
    text = to_json(values, inf_nan_mode="constants").decode()
    return f"import json\nglobals().update(json.loads({text!r}))\ndel json\n"


def _require(execution: Execution, problem: str) -> None:
    if (fault := fault_of(execution)) is not None:
        raise CodeFailed(f"{problem}: {fault_text(fault)}")


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeError) as error:
        raise ConfigError(f"the code file cannot be read: {error}") from error
