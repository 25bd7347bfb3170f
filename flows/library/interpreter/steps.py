"""The steps that an interpreter is made of."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from flows.core.flow import Effect, Flow, Parts
from flows.core.function_description import FunctionDescription
from flows.core.function_store import CallLimits, FunctionStore
from flows.library.interpreter import builtin
from flows.library.interpreter.advice import AdviceConfig, AdviceFlow
from flows.library.interpreter.ask import AskPersonConfig, AskPersonFlow
from flows.library.interpreter.call import CallConfig, CallFlow, KeepConfig, KeepFlow
from flows.library.interpreter.config import InterpreterConfig
from flows.library.interpreter.consent import ConsentConfig, ConsentFlow
from flows.library.interpreter.decide import DecideConfig, DecideFlow
from flows.library.interpreter.read import ReadConfig, ReadFlow
from flows.library.interpreter.revise import ReviseConfig, ReviseFlow
from flows.library.interpreter.sessions import SessionsConfig, SessionsFlow
from flows.library.interpreter.summarize import SummarizeConfig, SummarizeFlow
from flows.library.interpreter.toolbox import Toolbox
from flows.tools.sources.flow import flow_functions

PROMPTS: Final = Path(__file__).parent / "prompts"
CALLS: Final[Mapping[Effect, str]] = {
    "pure": "call", "idempotent": "call_idempotent", "once": "call_once"
}  # fmt: skip
SESSIONS_STEP: Final = "sessions"
CONSENT_STEP: Final = "consent"
# Names of steps, which no subflow can have.
TAKEN: Final = frozenset({
    "start", "decide", "summarize", "verify", "log", "keep", "resolve", CONSENT_STEP, SESSIONS_STEP,
    *CALLS.values(),
    builtin.ABOUT, builtin.STRATEGY, builtin.REVISE, builtin.ASK, builtin.READ, builtin.RECALL,
})  # fmt: skip


def part(name: str, parts: Parts) -> Parts:
    """What a step of an interpreter is built from."""
    folders = (*parts.prompt_folders, PROMPTS)
    return Parts(name, services=parts.services, prompt_folders=folders, base=parts.base)


def decide_flow(config: InterpreterConfig, parts: Parts) -> DecideFlow:
    own = DecideConfig(
        plan=config.plan,
        plan_text=config.plan_text,
        plan_first=config.plan_first,
        form_prompt=config.form_prompt,
        question_prompt=config.question_prompt,
        context_tokens=config.context_tokens,
        temperature=config.temperature,
        max_tokens=config.max_tokens,
    )
    return DecideFlow(own, part("decide", parts))


def summarize_flow(config: InterpreterConfig, parts: Parts) -> SummarizeFlow:
    own = SummarizeConfig(prompt=config.summary_prompt, max_tokens=config.max_tokens)
    return SummarizeFlow(own, part("summarize", parts))


def make_toolbox(config: InterpreterConfig, parts: Parts, flows: Mapping[str, Flow]) -> Toolbox:
    """The flows that carry calls out; `flows` are functions themselves, as far as the functions of
    the run allow their ids."""
    call = CallConfig()
    store = parts.services.get("functions")
    limits = CallLimits()
    described = [each.description for each in flow_functions(flows.values())]
    if isinstance(store, FunctionStore):
        limits = store.limits
        described = [each for each in described if store.allows(each.id)]
    given = (*builtins(config, parts), *described)
    stack = ReviseConfig(stack_tokens=config.stack_tokens)
    return Toolbox(
        revise=ReviseFlow(stack, part(builtin.REVISE, parts), given),
        ask=AskPersonFlow(AskPersonConfig(), part(builtin.ASK, parts)),
        strategy=AdviceFlow(AdviceConfig(files=config.advice), part(builtin.STRATEGY, parts)),
        read=ReadFlow(ReadConfig(max_chars=config.max_chars), part(builtin.READ, parts)),
        consent=ConsentFlow(ConsentConfig(), part(CONSENT_STEP, parts)),
        keep=KeepFlow(KeepConfig(max_chars=config.max_chars), part("keep", parts)),
        calls={effect: CallFlow(call, part(name, parts), effect) for effect, name in CALLS.items()},
        subflows={each.name: flows[each.name] for each in described},
        sessions=sessions_flow(parts),
        max_chars=config.max_chars,
        parallel=limits.parallel,
    )


def sessions_flow(parts: Parts) -> SessionsFlow | None:
    """What keeps sessions, where the run has a memory."""
    if parts.services.get("memory") is None:
        return None
    return SessionsFlow(SessionsConfig(), part(SESSIONS_STEP, parts))


def flows_of(tools: Toolbox) -> tuple[Flow, ...]:
    """The steps of a toolbox, but for its subflows."""
    sessions = () if tools.sessions is None else (tools.sessions,)
    always = (tools.revise, tools.ask, tools.consent, tools.strategy, tools.read, tools.keep)
    return (*always, *sessions, *tools.calls.values())


def builtins(config: InterpreterConfig, parts: Parts) -> tuple[FunctionDescription, ...]:
    """The built-in functions that this run has a use for."""
    found = [builtin.ABOUT_FUNCTION, builtin.STRATEGY_FUNCTION]
    if config.revise and parts.services.get("functions") is not None:
        found.append(builtin.REVISE_FUNCTION)
    if parts.services.get("human") is not None:
        found.append(builtin.ASK_FUNCTION)
    if parts.services.get("memory") is not None:
        found.append(builtin.RECALL_FUNCTION)
    return (*found, builtin.READ_FUNCTION)
