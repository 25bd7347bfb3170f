"""A Python program that launches flows of aiflows, with this package as what runs them.

The program is run as it is. What it makes of a config of the FlowVerse is a `LaunchedFlow`, and a
call of any flow by the program or by aiflows' `FlowLauncher`, from whichever thread, is a run with
a folder of its own. Keys in a config are handed on by the environment, and are written nowhere.
"""

from __future__ import annotations

import copy
import os
import runpy
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, is_dataclass
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any, Final, Self

import yaml

from flows.build.builder import build
from flows.build.names import ALIASES, serve_verse
from flows.build.plan import RunPlan
from flows.config.composition import Composed
from flows.config.redaction import remember
from flows.config.tree import MAKERS, TARGET
from flows.core.loop import run_coroutine
from flows.core.result import RunResult
from flows.core.values import Values
from flows.errors import CheckError, ConfigError, StepError
from flows.library.aiflows.classes import NoCache
from flows.library.aiflows.verse import serve_programs
from flows.runners.consent import with_consent
from flows.runners.door import run_and_close
from flows.runners.program_places import ProgramPlaces

VERSE: Final = "flow_modules"
_KEY: Final = "AIFLOWS_KEY_{}"
_INPUTS: Final = ("input_interface_non_initialized", "input_interface")
_lock = threading.Lock()


def run_script(file: Path, arguments: Sequence[str], trust: Sequence[str]) -> None:
    """Run the program, whose arguments these are. Errors: whatever it raises."""
    launcher = ScriptLauncher(file.absolute(), trust)
    with _as_main(file, arguments), launcher.serving():
        runpy.run_path(str(file), run_name="__main__")


class ScriptLauncher:
    """Runs the flows that a program calls. `trust` are the packages and addresses that are allowed
    besides the modules which the program has imported itself."""

    def __init__(self, file: Path, trust: Sequence[str]) -> None:
        self.file = file
        self.places = ProgramPlaces(file)
        self.trust = tuple(trust)

    @contextmanager
    def serving(self) -> Iterator[None]:
        """While this lasts, flows are run here, and names of the FlowVerse that are in no folder
        are those of this package."""
        serve_verse()
        serve_programs()
        finder = ServedFinder(self)
        sys.meta_path.insert(0, finder)
        base: Any = import_module("aiflows.base_flows.abstract")
        base.CACHING_PARAMETERS.do_caching = False
        base.FlowCache = NoCache
        flow = base.Flow
        own = flow.__call__
        flow.__call__ = lambda called, message: self.answer(called, message)
        try:
            with self.places.noting():
                yield
        finally:
            flow.__call__ = own
            sys.meta_path.remove(finder)

    def answer(self, flow: Any, message: Any) -> Any:
        """The outputs of a run of the flow, as the message that aiflows would return.

        Errors: `StepError`, also for a run that does not come to its end.
        """
        result = self.run(self.config_of(flow), message.data)
        if result.status not in ("finished", "unfinished", "degraded"):
            raise StepError(f"{flow.name}: {result.status}: {result.reason} ({result.folder})")
        return import_module("aiflows.messages").OutputMessage(
            created_by=flow.name, src_flow=flow.name, dst_flow=message.src_flow,
            output_data=dict(result.outputs), raw_response=None,
            input_message_id=message.message_id,
            history=import_module("aiflows.history").FlowHistory(),
        )  # fmt: skip

    def config_of(self, flow: Any) -> Values:
        """The config of a flow with its target, as a run file has it."""
        if isinstance(flow, LaunchedFlow):
            return {TARGET: flow.target, **copy.deepcopy(flow.flow_config)}
        bases = (each for each in type(flow).__mro__ if each.__module__.startswith("aiflows."))
        usual = next(bases).get_config()  # type: ignore[attr-defined]
        keys = {
            key: each
            for key, each in flow.flow_config.items()
            if key not in usual or usual[key] != each
        }
        return {TARGET: self._target(type(flow)), **copy.deepcopy(keys)}

    def _target(self, kind: type) -> str:
        module = kind.__module__
        if module == "__main__":
            module = self.file.stem
            sys.modules.setdefault(module, sys.modules["__main__"])
        return f"{module}.{kind.__qualname__}"

    def built(self, config: Mapping[str, Any]) -> tuple[RunPlan, Composed]:
        """The config as a plan. Errors: `StepError` for one that does not fit."""
        with _lock:  # threads of a launcher make the same plan at the same time
            values = _plain(config)
            own = {each.partition(".")[0] for each in _targets(values)} - {"aiflows"}
            text = yaml.safe_dump(values, sort_keys=False, allow_unicode=True)
            handle, name = tempfile.mkstemp(".yaml", f".{self.file.stem}-", self.file.parent)
            try:
                with os.fdopen(handle, "w", encoding="utf-8") as written:
                    written.write(text)
                return with_consent(
                    (*sorted(own), *self.trust), lambda trusted: build(Path(name), trust=trusted)
                )
            except ConfigError as error:
                errors = error.errors if isinstance(error, CheckError) else (error,)
                told = "; ".join(self.places.told(each, Path(name), values) for each in errors)
                raise StepError(f"{config.get('name')}: {told}") from error
            finally:
                Path(name).unlink()

    def run(self, config: Mapping[str, Any], inputs: Mapping[str, Any]) -> RunResult:
        """A run of the config; of the inputs those that it takes. Says on standard error where it
        is. Errors: `StepError`."""
        plan, _ = self.built(config)
        ports = plan.flow.inputs_type.model_config.get("extra")
        names = plan.flow.port_names if ports == "forbid" else tuple(inputs)
        given = {key: each for key, each in inputs.items() if key in names}
        result = run_coroutine(run_and_close(plan.with_inputs(given)))
        print(f"{plan.flow.name}: {result.status}, {result.folder}", file=sys.stderr)
        return result


class LaunchedFlow:
    """A flow of the FlowVerse that a program has made of a config."""

    def __init__(self, launcher: ScriptLauncher, target: str, config: Mapping[str, Any]) -> None:
        self.launcher = launcher
        self.target = target
        named = {"name": target.rpartition(".")[2], "description": "", "private_keys": []}
        self.flow_config: Values = {**named, **config}
        self.flow_state: Values = {}

    @property
    def name(self) -> str:
        return str(self.flow_config["name"])

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __call__(self, message: Any) -> Any:
        """The answer to a message. Errors: as of `ScriptLauncher.answer`."""
        return self.launcher.answer(self, message)

    def reset(self, full_reset: bool, recursive: bool, src_flow: object = "Launcher") -> None:
        """Nothing is kept between two runs."""

    def get_interface_description(self) -> Values:
        """The inputs that a call has to be given. Errors: `StepError`."""
        plan, composed = self.launcher.built(self.launcher.config_of(self))
        written = (composed.values.get(each) for each in _INPUTS)
        ports = plan.flow.input_ports
        needed = [name for name, needed in ports.items() if needed]
        return {"input": next((each for each in written if each), needed), "output": None}


class ServedFinder(MetaPathFinder, Loader):
    """Finds the modules of the FlowVerse that this package serves, where no folder has them."""

    def __init__(self, launcher: ScriptLauncher) -> None:
        self.launcher = launcher
        dotted = [each.split(".") for each in ALIASES if each.startswith(f"{VERSE}.")]
        self.served = {".".join(parts[:3]) for parts in dotted}

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        del target
        is_package = fullname in (VERSE, f"{VERSE}.aiflows")
        if not is_package and fullname not in self.served:
            return None
        if PathFinder.find_spec(fullname, path) is not None:
            return None
        return ModuleSpec(fullname, self, is_package=is_package)

    def exec_module(self, module: ModuleType) -> None:
        if module.__name__ in self.served:
            module.__dict__["__getattr__"] = self._class_in(module.__name__)

    def _class_in(self, module: str) -> Callable[[str], type]:
        def find(name: str) -> type:
            if name.startswith("__"):
                raise AttributeError(name)
            target = f"{module}.{name}"

            def make(**config: Any) -> LaunchedFlow:
                return LaunchedFlow(self.launcher, target, config)

            made = {
                "instantiate_from_default_config": staticmethod(make),
                "instantiate_from_config": staticmethod(lambda config: make(**config)),
                "instantiate_with_overrides": staticmethod(lambda overrides: make(**overrides)),
                "__module__": module,
            }
            return type(name, (), made)

        return find


@contextmanager
def _as_main(file: Path, arguments: Sequence[str]) -> Iterator[None]:
    """The arguments and the first place for modules as a program of its own has them."""
    argv, path = sys.argv, list(sys.path)
    sys.argv = [str(file), *arguments]
    sys.path.insert(0, str(file.absolute().parent))
    try:
        yield
    finally:
        sys.argv = argv
        sys.path[:] = path


def _targets(values: Any) -> Iterator[str]:
    """The dotted targets in a config."""
    if isinstance(values, Mapping):
        if isinstance(target := values.get(TARGET), str) and not target.startswith("."):
            yield MAKERS.sub("", target)
        for each in values.values():
            yield from _targets(each)
    elif isinstance(values, list):
        for each in values:
            yield from _targets(each)


def _plain(value: Any, key: str = "") -> Any:
    """A config as plain data, with each key of a provider by the name of a variable."""
    if is_dataclass(value) and not isinstance(value, type):
        value = {name: each for name, each in asdict(value).items() if each is not None}
    if hasattr(value, "items"):
        return {str(name): _plain(value[name], str(name)) for name in value}
    if isinstance(value, str):
        is_key = key == "api_key" and value != "???"
        return f"${{env:{_variable(value)}}}" if is_key else value.replace("${", "\\${")
    if hasattr(value, "__iter__"):
        return [_plain(each) for each in value]
    return value


def _variable(secret: str) -> str:
    """The variable of the environment that holds the key, a new one if none does."""
    remember(secret)
    for name, value in os.environ.items():
        if value == secret:
            return name
    number = next(each for each in range(1, 1000) if _KEY.format(each) not in os.environ)
    os.environ[_KEY.format(number)] = secret
    return _KEY.format(number)
