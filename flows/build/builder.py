"""From a composed config to a graph of flows: the only place that knows a name and its class."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from flows.build.aiflows_keys import legacy_doubts, without_unknown_keys
from flows.build.default_files import default_files, is_default
from flows.build.files import files_of
from flows.build.fingerprint import fingerprints
from flows.build.flow_kind import FlowKind, make_flow
from flows.build.flow_services import flow_services
from flows.build.graph_faults import graph_faults
from flows.build.input_faults import input_faults
from flows.build.input_names import inputs_of
from flows.build.interfaces import make_interfaces
from flows.build.located import located_keys
from flows.build.names import builtin_registry
from flows.build.own_code import OwnCode, outline_flow
from flows.build.plan import RunPlan
from flows.build.repair import RepairedConfig, repair, without_wrong_keys
from flows.build.run_config import KNOWN, RUN_KINDS, SUBFLOWS, RunConfig
from flows.build.runner_problems import runner_problems
from flows.build.search_consent import notes_on, settled
from flows.build.services import SANDBOX, TARGET, ConfigPath, Services
from flows.build.trust import Trust
from flows.build.unbuilt import UnbuiltFlow, has_unbuilt, unknown_interface
from flows.build.walls import check_typed
from flows.build.worst_case import beyond_limits
from flows.config.aiflows import COMPAT, is_aiflows
from flows.config.compose import compose
from flows.config.composition import Composed
from flows.config.faults import Faults
from flows.config.outline import Outline
from flows.config.pasted import pasted_marks
from flows.config.secret import secret_paths, without_secrets
from flows.config.settings import Choice, Setting
from flows.config.tree import Section, dotted, find, is_open
from flows.config.validate import validate
from flows.core.chat import ChatModel
from flows.core.flow import Flow, Parts, Problem
from flows.core.function_description import Function
from flows.core.human import Human
from flows.core.limits import price_of
from flows.core.sandbox import Sandbox
from flows.core.signature import flow_class
from flows.core.values import Values
from flows.errors import ConfigError, Place, UnknownValue, UntrustedError, nearest
from flows.library.aiflows.classes import adapt_class
from flows.library.aiflows.tries import with_tries

NOT_IN_NAMES = frozenset("/#")  # they part the names of a step's address


def build(
    path: Path,
    overrides: Sequence[str] = (),
    *,
    settings: Sequence[Setting | Choice] = (),
    trust: Trust | Sequence[str] = (),
    functions: Sequence[Function] = (),
    base: Path | None = None,
    change: Callable[[Composed], Composed] | None = None,
) -> tuple[RunPlan, Composed]:
    """Compose a run file, build its graph and check it. `settings` are what a program sets, under
    the overrides, `functions` what it gives an agent beside those of the file's sources. `base` is
    the folder that relative paths start from, that of the file without it; `change` makes another
    config of the composed one. Errors: `ConfigError` with places."""
    faults = Faults()
    with faults:
        composed = compose(
            path,
            overrides,
            settings=settings,
            known=KNOWN,
            default_files=default_files(path.parent),
            inputs_of=inputs_of(path.parent),
            faults=faults,
        )
        if change is not None:
            composed = change(composed)
        start = (base or path.parent).absolute()
        plan = build_composed(composed, start, trust=trust, functions=functions, faults=faults)
    faults.raise_all()
    if is_aiflows(composed.tree) and (old := legacy_doubts(path)):
        plan = replace(plan, warnings=(*old, *plan.warnings))
    return plan, composed


def build_composed(
    composed: Composed,
    base: Path,
    *,
    trust: Trust | Sequence[str] = (),
    live: bool = True,
    functions: Sequence[Function] = (),
    human: Human | None = None,
    faults: Faults | None = None,
) -> RunPlan:
    """The plan of a composed config. `base` is the folder that its relative paths start from;
    without `live` it can only be replayed, and nothing outside has to be there. `human` is whoever
    is asked already, to be asked further; `faults` what was found wrong before, and is raised with
    what is found here."""
    trusted = trust if isinstance(trust, Trust) else Trust(trust)
    if not live:
        return Builder(composed, trusted, base, live, faults=faults).plan()
    decided, off = settled(composed)
    builder = Builder(decided, trusted, base, live, functions, faults)
    if human is not None:
        builder.services.made[("human",)] = human
    plan = builder.plan()
    names = tuple(f"{dotted(path)}." for path in off)
    sendings = tuple(each for each in plan.sendings if not f"{each.service}.".startswith(names))
    notes = (*plan.notes, *notes_on(off), *beyond_limits(plan.worst_case))
    return replace(plan, sendings=sendings, notes=notes)


class Builder:
    """Builds one graph. Run-level services are made once, when a flow first needs them."""

    def __init__(
        self,
        composed: Composed,
        trust: Trust,
        base: Path,
        live: bool,
        functions: Sequence[Function] = (),
        faults: Faults | None = None,
    ) -> None:
        self.composed = composed
        self.trust = trust
        self.own_code = OwnCode(composed, trust)
        self.registry = builtin_registry(
            trust.packages, base, self.own_code, dotted_files=is_aiflows(composed.tree)
        )
        self.base = base
        self.services = Services(
            composed, self.registry, base, live=live, trust=trust, functions=functions
        )
        self.faults = faults or Faults()
        self.doubts = list(pasted_marks(composed.tree))  # and those of keys that nothing reads
        values = composed.values
        own = {key: values[key] for key in values if key in RunConfig.model_fields}
        with self.faults:
            check_typed(composed)
        self.run, self.broken = self._run(own)
        self.flow_values = {key: values[key] for key in values if key not in own}

    def plan(self) -> RunPlan:
        flow = self.flow((), self.flow_values, self._name())
        flow.place("")
        faults = self.faults
        if not has_unbuilt(flow):
            for each in self._limit_problems(flow):
                faults.keep(self._error((), each))
        if self.services.live:
            faults.keep(*(self._error((), each) for each in runner_problems(self.run.runner)))
        human: Human | None = None
        located: Values = {}
        with faults:
            human = self._human()
        with faults:
            self._check_unused()
        with faults:
            located = located_keys(self.run, self.services, faults)
        told = graph_faults(
            flow, self.composed, None if "limits" in self.broken else self.run.limits
        )
        faults.keep(*(each for each in told if not each.warning))
        # If nothing but consent is wanting, a person is asked for it.
        if not all(isinstance(each, UntrustedError) for each in faults.found.values()):
            faults.keep(*self.doubts, *told)
        if faults.found:
            faults.keep(*input_faults(flow, self.run.inputs, self.composed))
        faults.raise_all()
        return RunPlan(
            flow=flow,
            inputs=self.run.inputs,
            limits=self.run.limits,
            prices=self.run.prices,
            human=human,
            runner=self.run.runner,
            durability=self.run.durability,
            runs_folder=Path(self.run.runs),
            spec=without_secrets({**self.composed.values, **located}),
            secrets=tuple(secret_paths(self.composed.values)),
            base=self.base,
            made_of=fingerprints(flow),
            services=self.services.closable(),
            sendings=(*self.own_code.sendings, *self.services.sendings),
            files=tuple(self.services.files),
            foreign=self.services.foreign,
            strict=self._strict(),
            notes=tuple(self.services.notes),
            trust=self.services.trust,
            functions=self.services.given or (),
            consents=self.trust.consents,
            warnings=(*self.doubts, *told),
        )

    def _run(self, own: Mapping[str, Any]) -> tuple[RunConfig, frozenset[str]]:
        """The keys of the run, and those of them that are wrong and left out."""
        run: RunConfig | None = None
        wrong = frozenset[str]()
        with self.faults:
            run = validate(RunConfig, own, self.composed, ())
        if run is None:
            run, wrong = without_wrong_keys(RunConfig, own)
        if self.composed.tree.open:  # keys that are not there may be
            wrong |= RunConfig.model_fields.keys() - own.keys()
        return run, wrong

    def _name(self) -> str:
        """The name of the top flow; `flow` for one that has none."""
        if self.composed.is_unknown(("name",)):
            return "flow"
        name = self.flow_values.get("name") or "flow"
        if not isinstance(name, str):
            self.faults.keep(
                self._error((), Problem("a name must be text; put it in quotes", ("name",)))
            )
            return "flow"
        if not name.isprintable():
            text = "a name cannot hold control characters"
            self.faults.keep(self._error((), Problem(text, ("name",))))
        return name

    def _check_unused(self) -> None:
        """Errors: `ConfigError` for wrong names and keys of services that no flow uses."""
        if not self.services.live:
            return
        faults = Faults()
        for kind in (*RUN_KINDS, "documents"):
            values = getattr(self.run, kind)
            if isinstance(values, Mapping) and (kind,) not in self.services.made:
                with faults:
                    self.services.check(kind, (kind,), values)
        faults.raise_all()

    def _strict(self) -> Sandbox | None:
        """The sandbox, if a flow uses it and the run wants it whole."""
        made = self.services.made.get(SANDBOX)
        strict = self.services.live and self.run.sandbox.mode == "strict"
        return made if strict and isinstance(made, Sandbox) else None

    def _limit_problems(self, flow: Flow) -> Iterator[Problem]:
        """Limits that nothing could hold to."""
        limits, prices = self.run.limits, self.run.prices
        if limits.on_limit == "finalize" and not flow.can_finalize():
            text = (
                f"{flow.name} cannot give a last answer; an autogpt flow at the top can, with a "
                "controller and a command that ends it"
            )
            yield Problem(text, ("limits", "on_limit"), ("partial", "raise"))
        if limits.cost is None:
            return
        for each in self.services.made.values():
            if isinstance(each, ChatModel) and not each.free and not price_of(prices, each.name):
                yield Problem(
                    f"the price of the model {each.name!r} is unknown, so its cost has no limit; "
                    f"add it under prices",
                    ("limits", "cost"),
                    tuple(prices),
                    nearest(each.name, prices),
                )

    def _human(self) -> Human | None:
        """Whoever is asked about the run itself."""
        if self.run.human is None:
            return None
        human = self.services.make("human", ("human",), self.run.human)
        return human if isinstance(human, Human) else None

    def flow(self, path: ConfigPath, values: object, name: str) -> Flow:
        """The flow that the mapping at `path` describes, with all below it. What is wrong with it
        is kept in the `faults`; an `UnbuiltFlow` stands for one that cannot be built."""
        if self.composed.is_unknown(path):
            return UnbuiltFlow(name)
        if not isinstance(values, Mapping):
            text = f"{name} must be a mapping with a _target_"
            if isinstance(values, str):
                text += f", as in {name}: {{_target_: {values}}}"
            self.faults.keep(self._error(path, Problem(text, ())))
            return UnbuiltFlow(name)
        kind: FlowKind | None = None
        with self.faults:
            kind = self._kind(path, values, name)
        subflows = self._subflows(path, values if kind is None else kind.given)
        made: Flow | None = None
        if kind is not None:
            with self.faults:
                made = self._made(kind, path, name, subflows)
        return made or UnbuiltFlow(name, subflows, None if kind is None else kind.type)

    def _kind(self, path: ConfigPath, values: Mapping[str, Any], name: str) -> FlowKind:
        """The class of a flow, and its keys. Errors: `ConfigError`."""
        target = values.get(TARGET)
        if self.composed.is_unknown((*path, TARGET)):
            raise UnknownValue(f"the class of {name} is not known")
        if not isinstance(target, str):
            raise self._untargeted(path, name)
        at = (*path, TARGET)
        place, where = self.composed.place(at), dotted(at)
        found = self.registry.find("flow", target, place=place, path=where)
        named = self.registry.resolve("flow", target, place=place, path=where)
        try:
            flow_type: Any = (
                outline_flow(named)
                if isinstance(named, Outline)
                else flow_class(adapt_class(named))
            )
        except ConfigError as error:
            raise ConfigError(error.problem, place=place, path=where) from error
        given = {**found.values, **{key: each for key, each in values.items() if key != TARGET}}
        if COMPAT in self.flow_values and COMPAT in flow_type.Config.model_fields:
            given[COMPAT] = self.flow_values[COMPAT]  # of the file, for all its flows
        if self.registry.dotted_files:  # a file of aiflows
            given, doubts = without_unknown_keys(flow_type, given)
            self.doubts += [self._error(path, each) for each in doubts]
        return FlowKind(flow_type, found, with_tries(flow_type.Config, given))

    def _untargeted(self, path: ConfigPath, name: str) -> ConfigError:
        if not path and is_aiflows(self.composed.tree):
            text = (
                f"{name} has no _target_: the program that launched it in aiflows named its class, "
                "so name it here, in the file or as _target_=MODULE.CLASS"
            )
            return self._error(path, Problem(text, ()))
        names = tuple(self.registry.names("flow"))
        written = find(self.composed.tree, path)
        keys = written.entries if isinstance(written, Section) else {}
        if close := next((each for each in keys if each.strip("_").lower() == "target"), None):
            place, where = self.composed.key_place((*path, close)), dotted((*path, close))
            text = f"{name} has no _target_, but {close!r}"
            return ConfigError(text, place=place, path=where, meant=TARGET)
        return self._error(path, Problem(f"{name} has no _target_", (), names))

    def _made(
        self, kind: FlowKind, path: ConfigPath, name: str, subflows: dict[str, Flow]
    ) -> Flow | None:
        """The flow; None for one that cannot be made. What is wrong is kept, and it is made all the
        same if that can be repaired."""
        faults, given = self.faults, {**kind.given, "name": name}
        made, lacks = flow_services(
            kind.type, path, kind.given, self.services, self.run, self.broken, faults
        )
        found: RepairedConfig | None = None
        with faults:
            config = validate(kind.type.Config, given, self.composed, path)
            found = RepairedConfig(config, lacks_service=lacks)
        if found is None and (found := repair(kind.type, given, is_top=not path)) is None:
            return None
        with faults:
            if self.services.live and found.is_whole:
                self.services.note_sendings(kind.type, kind.found, kind.own, path)
                self.services.files += files_of(kind.type.Config, kind.own, path)
        interfaces = make_interfaces(self.composed, self.registry, path, found.config, faults)
        interfaces |= {each: unknown_interface() for each in found.unknown}
        if any(is_open(find(self.composed.tree, (*path, *below))) for below in ((), (SUBFLOWS,))):
            return None  # other keys or subflows may be there
        parts = Parts(
            name,
            subflows,
            made,
            interfaces,
            (self.base / "prompts",),
            self.base,
            partial(self._place, path),
        )
        return make_flow(kind, found, parts, faults, partial(self._error, path))

    def _place(self, path: ConfigPath, key: str) -> Place | None:
        """Where a key of the flow at the path is written; None where it has a default's value."""
        written = find(self.composed.tree, (*path, key))
        return None if written is None or is_default(written.place) else written.place

    def _subflows(self, path: ConfigPath, given: Mapping[str, Any]) -> dict[str, Flow]:
        described = given.get(SUBFLOWS)
        if not isinstance(described, Mapping):  # Nothing, or something that validation refuses.
            return {}
        made: dict[str, Flow] = {}
        for name, values in described.items():
            if NOT_IN_NAMES & set(name):
                text = f"the name of a subflow cannot hold {' or '.join(sorted(NOT_IN_NAMES))}"
                self.faults.keep(self._error(path, Problem(text, (SUBFLOWS, name))))
            made[name] = self.flow((*path, SUBFLOWS, name), values, name)
        return made

    def _error(self, path: ConfigPath, problem: Problem) -> ConfigError:
        where = (*path, *problem.where)
        return self.composed.error(problem.text, where, problem.allowed, problem.meant)
