"""A task about tables, done with Python that the model writes."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import ClassVar

from pydantic import Field

from flows.core.flow import (
    AtomicConfig,
    AtomicFlow,
    CompositeFlow,
    FlowConfig,
    Parts,
    Ports,
    Service,
)
from flows.core.observation import Observation
from flows.core.reply import Reply
from flows.core.run import Run
from flows.core.sandbox import CodeFault
from flows.core.values import Values
from flows.data.catalog import Catalog
from flows.data.frames import frame_names
from flows.errors import CodeFailed
from flows.library.blocks.chat import ChatConfig, ChatFlow
from flows.library.blocks.code import CodeConfig, CodeFlow, CodeState
from flows.library.blocks.compile import CompileConfig, CompileFlow
from flows.library.blocks.correction import TrialFailed, propose
from flows.library.blocks.outcome import fault_text
from flows.library.blocks.reading import ReplyProblem, reader_of
from flows.sandbox.validate import validate
from flows.semantics.request import Request

_VARIABLES_TOLD = 40


class PythonConfig(FlowConfig):
    """The keys of a Python agent."""

    description: str = (
        "Does what one SQL query cannot, with Python over the tables as data frames (pandas, "
        "numpy, matplotlib, plotly, scikit-learn): correlations, distributions, figures, outliers, "
        "statistical tests, models. Figures and tables that it makes are kept; variables live on "
        "to its next call."
    )
    model: Service | None = Field(default=None, description="its own model; the run's without it")
    system_prompt: str = "python.system.j2"
    human_prompt: str = "python.human.j2"
    correction_prompt: str = "chat.correction.j2"
    seconds: float | None = Field(
        default=None, gt=0, description="wall time of one piece of code, if not the sandbox's"
    )
    corrections: int = Field(default=2, ge=0, le=10, description="further tries after a fault")


class PythonInputs(Ports):
    """A task. `request` is what it was read as, where somebody has read it already."""

    task: str = Field(
        min_length=1,
        description="the whole task, in words: what to compute or to draw, of which columns",
    )
    request: Request | None = Field(default=None, json_schema_extra={"argument": False})


class PythonOutputs(Ports):
    observation: Observation


class CodeReply(Reply):
    """Code, or why there can be none."""

    code: str | None = None
    cannot: str | None = None


class PythonFlow(CompositeFlow):
    """Runs the code that a request was compiled to; where nobody has read the task, or no code can
    be made of it, asks the model for some. A fault goes to the model, with its place."""

    needs: ClassVar[Mapping[str, str]] = {
        "model": "model", "data": "data", "sandbox": "sandbox", "semantics": "semantics",
    }  # fmt: skip
    Config: ClassVar[type[FlowConfig]] = PythonConfig
    Inputs: ClassVar[type[Ports]] = PythonInputs
    Outputs: ClassVar[type[Ports]] = PythonOutputs

    def __init__(self, config: PythonConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        chat = ChatConfig(
            role="python",
            description="Writes the code.",
            system_prompt=config.system_prompt,
            human_prompt=config.human_prompt,
            correction_prompt=config.correction_prompt,
            input_interface={
                "task": "str",
                "error": "str",
                "frames": "str",
                "variables": "str",
                "request": "any?",
            },
            context=("tables",),
            json_reply=True,
        )
        code = CodeConfig(description="Runs the code.", seconds=config.seconds)
        self.write = ChatFlow(chat, parts.below("write"), reply=CodeReply)
        self.execute = CodeFlow(code, parts.below("code"))
        self.look = WorkspaceFlow(self.execute, parts.below("workspace"))
        self.compile = CompileFlow(CompileConfig(), parts.below("compile"))
        self.subflows = {
            "compile": self.compile, "workspace": self.look, "write": self.write,
            "code": self.execute,
        }  # fmt: skip

    async def run(self, inputs: PythonInputs, run: Run) -> Values:
        error = ""
        if inputs.request is not None:
            made = await run.call(self.compile, {"request": inputs.request})
            if made["code"] is not None:
                try:
                    return {"observation": await self._ran(CodeReply(code=made["code"]), run)}
                except TrialFailed as failed:
                    error = failed.inputs["error"]
        known = await run.call(self.look, {})
        asked = {"task": inputs.task, "request": inputs.request, "error": error, **known}
        done = await propose(
            run, self.write, asked, reader_of(CodeReply), lambda reply: self._ran(reply, run),
            corrections=self.config.corrections, otherwise=_no_code,
        )  # fmt: skip
        return {"observation": done}

    async def _ran(self, reply: CodeReply, run: Run) -> Observation:
        """What the code of a reply gave, or that there can be none.

        Errors: `ReplyProblem` without either; `TrialFailed` for code that fails.
        """
        code = reply.code or ""
        if not code.strip():
            if (reply.cannot or "").strip():
                return Observation(kind="error", text=f"The task cannot be done: {reply.cannot}")
            raise ReplyProblem(
                'the object must have "code" with Python code, or "cannot" with a reason'
            )
        fault = validate(code)
        if fault is None:
            done = await run.call(self.execute, {"code": code})
            observation, fault = done["observation"], done["fault"]
            if fault is None:
                assert isinstance(observation, Observation)
                return observation
        raise TrialFailed(CodeFailed(fault_text(fault)), error=_told(fault, code))


def _no_code(problems: str) -> CodeFailed:
    return CodeFailed(f"the model gave no usable code: {problems}")


def _told(fault: CodeFault, code: str) -> str:
    """A fault as the model is told of it, with its traceback and the code."""
    trace = f"\n{fault.traceback}" if fault.traceback else ""
    return f"{fault_text(fault)}{trace}\nThe code was:\n{code}"


class WorkspaceOutputs(Ports):
    """What the code finds: `frames` that are called otherwise than their tables, `variables`."""

    frames: str
    variables: str


class WorkspaceFlow(AtomicFlow):
    """Says what lives in the session of a code flow."""

    Config: ClassVar[type[FlowConfig]] = AtomicConfig
    Outputs: ClassVar[type[Ports]] = WorkspaceOutputs

    def __init__(self, code: CodeFlow, parts: Parts) -> None:
        super().__init__(AtomicConfig(description="Looks at the session."), parts)
        self.code = code
        self.catalog = parts.service("data", Catalog)

    async def run(self, inputs: Ports, run: Run) -> WorkspaceOutputs:
        del inputs
        named = frame_names(await asyncio.to_thread(self.catalog.tables))
        frames = [
            f"the table {table.name!r} is the data frame {name}"
            for name, table in named.items()
            if name != table.name
        ]
        state: CodeState = run.state_of(self.code)
        variables = [
            f"{each.name}: {each.type}{f' {each.shape}' if each.shape else ''}"
            for each in state.variables[-_VARIABLES_TOLD:]
        ]
        return WorkspaceOutputs(frames="\n".join(frames), variables="\n".join(variables))
