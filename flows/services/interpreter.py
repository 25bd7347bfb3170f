"""An interpreter from Python: `flows.Interpreter([my_function])("a question")`."""

from __future__ import annotations

import re
from collections.abc import Callable, Coroutine, Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar, Final, Literal

from pydantic import BaseModel, ConfigDict
from pydantic_core import to_jsonable_python

from flows.analysis.functions.decision import ResultCitation
from flows.build.builder import build
from flows.build.plan import RunPlan
from flows.config.settings import Choice, Setting
from flows.core import markup
from flows.core.chat import ChatModel, ChatRequest, Message
from flows.core.events import Listener
from flows.core.function_description import Function, FunctionDescription
from flows.core.function_store import FunctionClass, FunctionMatch
from flows.core.loop import asynchronous, run_coroutine, synchronous
from flows.core.result import OpenQuestion, RunResult
from flows.errors import UsageError
from flows.library.interpreter.config import CallRecord, PlanRecord
from flows.library.interpreter.interpreter import InterpreterFlow
from flows.runners import door
from flows.services.model_choice import read_model
from flows.services.request import Person, run_file
from flows.tools.sources.python import PythonFunction

ResponseEnd = Literal["answered", "partly", "abstained", "waiting", "failed"]
GivenFunction = Callable[..., Any] | Function
_ORIGIN: Final = "flows.Interpreter"
_DOCUMENTS: Final = (".json", ".yaml", ".yml")


class InterpreterResponse(BaseModel):
    """What a question came to. `confidence` (0 to 100) is by the evidence, `model_confidence` what
    the model said of itself. `functions` are those whose results are cited; `calls` all that were
    made; `plan` the steps of the planner's plans. `uncited` are numbers that stand in no result,
    `lacks` what could not be found. `question` is what a `waiting` run asks the person. `files` are
    large results and figures, by their paths.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    status: ResponseEnd
    answer: str = ""
    confidence: int = 0
    model_confidence: int = 0
    functions: tuple[str, ...] = ()
    citations: tuple[ResultCitation, ...] = ()
    uncited: tuple[str, ...] = ()
    strategy: str = ""
    lacks: str = ""
    calls: tuple[CallRecord, ...] = ()
    plan: tuple[PlanRecord, ...] = ()
    turns: int = 0
    question: str = ""
    files: tuple[str, ...] = ()
    reason: str = ""
    run_id: str = ""

    @classmethod
    def of(cls, result: RunResult) -> InterpreterResponse:
        """The response that a run of an interpreter came to."""
        given = to_jsonable_python(dict(result.outputs), fallback=str)
        known = {name: given[name] for name in cls.model_fields if name in given}
        if "status" not in known:
            known["status"] = "waiting" if result.status == "waiting" else "failed"
        asked = _first(result.questions)
        return cls.model_validate({
            **known,
            "question": asked.question.text.strip() if asked is not None else "",
            "files": [str(result.folder / each.path) for each in result.artifacts],
            "reason": result.reason,
            "run_id": result.run_id,
        })  # fmt: skip

    def as_json(self) -> dict[str, Any]:
        """The response as plain data."""
        return self.model_dump(mode="json")

    def _repr_html_(self) -> str:
        """The response as a notebook shows it: the answer, and the functions that gave it."""
        told = self.answer or self.question or self.reason
        sure = f"{self.status}, {self.confidence} % sure"
        by = f", by {', '.join(self.functions)}" if self.functions else ""
        return markup.paragraph(told) + markup.note(sure + by)


def _first(questions: Sequence[OpenQuestion]) -> OpenQuestion | None:
    return questions[0] if questions else None


class Interpreter:
    """Answers questions with functions: typed and documented Python functions, stores, and those of
    the sources of a run file.

    `file` is a run file whose flow is an interpreter; without one it is that of the package.
    `model` is as in `--model`. `plan` is the prompt that says how it works, in the place of the
    shipped one; a subclass may have it as `PLAN`. Without `revise` it searches for no functions.
    `sources` are OpenAPI documents, Python files below the run file's folder, and dotted names of
    modules, which have to be trusted; `person` says how a person is reached. `overrides` are keys
    of the run file.
    Errors: `ConfigError` with the line of a function that is not documented; `UsageError`.
    """

    PLAN: ClassVar[str] = ""

    def __init__(
        self,
        functions: Sequence[GivenFunction] = (),
        *,
        file: str | Path | None = None,
        model: str | None = None,
        plan: str = "",
        revise: bool = True,
        sources: Sequence[str] = (),
        person: Person | None = None,
        overrides: Sequence[str] = (),
        trust: Sequence[str] = (),
        listeners: Sequence[Listener] = (),
    ) -> None:
        self._given = tuple(_as_function(each) for each in functions)
        self._file = run_file("interpreter", _ORIGIN) if file is None else Path(file)
        # The shipped run file is used as if it stood in the working folder.
        self._base = Path.cwd() if file is None else None
        self._model = read_model(model)
        self._plan = plan or type(self).PLAN
        self._revise = revise
        self._sources = tuple(sources)
        self._person = person
        self._overrides = tuple(overrides)
        self._trust = tuple(trust)
        self._listeners = tuple(listeners)

    def __call__(
        self, question: str, *, context: Sequence[str] = (), user: str = "", channel: str = ""
    ) -> InterpreterResponse:
        """Answer a question. `context` is what was said before, `user` and `channel` who asks and
        where. What goes wrong in the run is in the response. Errors: `ConfigError`, `UsageError`.
        """
        return InterpreterResponse.of(
            self.run(question, context=context, user=user, channel=channel)
        )

    def start_run(
        self, question: str, *, context: Sequence[str] = (), user: str = "", channel: str = ""
    ) -> Coroutine[Any, Any, RunResult]:
        """The run that answers a question. Errors: `ConfigError`, `UsageError`."""
        if not question.strip():
            raise UsageError("there is no question")
        given: dict[str, Any] = {"question": question}
        more = {"context": tuple(context), "user": user, "channel": channel}
        given |= {name: each for name, each in more.items() if each}
        return door.start_run(
            self._file,
            self._overrides,
            settings=tuple(self._settings()),
            inputs=given,
            listeners=self._listeners,
            trust=self._trust,
            functions=self._given,
            base=self._base,
        )

    run = synchronous(start_run, "run")
    arun = asynchronous(start_run, "arun")

    def resume(
        self, run_id: str, answer: str | None = None, *, runs: str | Path = "runs"
    ) -> InterpreterResponse:
        """Go on with a run that waits or was stopped; `answer` is to the question that it waits
        with. Errors: `JournalError`, `UsageError`."""
        result = door.resume(
            run_id, runs=runs, answer=answer, listeners=self._listeners, trust=self._trust,
            functions=self._given,
        )  # fmt: skip
        return InterpreterResponse.of(result)

    def ask(self, text: str) -> str:
        """Ask the model itself, without functions and without the plan. Errors: `ModelError`."""
        plan = self._built()
        flow = plan.flow
        assert isinstance(flow, InterpreterFlow)  # _built has looked

        async def reply(model: ChatModel) -> str:
            try:
                plan.check_trust()
                request = ChatRequest((Message(role="user", content=text),))
                return (await model.reply(request)).text
            finally:
                await plan.aclose()

        return run_coroutine(reply(flow.decide.model))

    def functions(self) -> tuple[FunctionDescription, ...]:
        """All functions that can be searched. Errors: `ToolError`."""
        return run_coroutine(self._of_store("", 0, "Any"))[0]

    def search(
        self, question: str, limit: int = 10, function_class: FunctionClass = "Any"
    ) -> list[FunctionMatch]:
        """The functions that fit a question, the best first. Errors: `ToolError`."""
        return run_coroutine(self._of_store(question, limit, function_class))[1]

    async def _of_store(
        self, question: str, limit: int, function_class: FunctionClass
    ) -> tuple[tuple[FunctionDescription, ...], list[FunctionMatch]]:
        plan = self._built()
        flow = plan.flow
        assert isinstance(flow, InterpreterFlow)  # _built has looked
        store = flow.tools.revise.store
        try:
            if store is None:
                return (), []
            if not question:
                return await store.descriptions(), []
            return (), await store.search(question, limit, function_class)
        finally:
            await plan.aclose()

    def _built(self) -> RunPlan:
        settings = tuple(self._settings())
        plan, _ = build(
            self._file, self._overrides, settings=settings, trust=self._trust,
            functions=self._given, base=self._base,
        )  # fmt: skip
        if not isinstance(plan.flow, InterpreterFlow):
            raise UsageError(f"the flow of {self._file} is no interpreter")
        return plan

    def _settings(self) -> Iterator[Setting | Choice]:
        if self._model is not None:
            yield from self._model.settings()
        if self._person is not None:
            yield Choice("human", self._person, f"human={self._person}")
        if self._sources:
            yield Setting("functions", {"sources": sources_of(self._sources)}, "functions")
        if self._plan:
            yield Setting("plan_text", self._plan, "plan")
        if not self._revise:
            yield Setting("revise", False, "revise")
            yield Setting("load", [each.description.id for each in self._given], "functions")
            yield Setting("search_first", 0, "revise")


def sources_of(given: Sequence[str]) -> dict[str, dict[str, str | list[str]]]:
    """The sources of functions that names stand for: an OpenAPI document, a Python file, or the
    dotted name of a module. Errors: `UsageError` for a name that is given twice."""
    found: dict[str, dict[str, str | list[str]]] = {}
    for each in given:
        is_file = Path(each).suffix.lower() in _DOCUMENTS
        is_code = each.endswith(".py")
        name = re.sub(r"\W+", "_", Path(each).stem if is_file or is_code else each)
        if name in found:
            raise UsageError(f"two sources of functions are called {name}; write a run file")
        found[name] = (
            {"_target_": "functions.openapi", "document": each}
            if is_file
            else {"_target_": "functions.python", "modules": [each]}
        )
    return found


def _as_function(given: GivenFunction) -> Function:
    return given if isinstance(given, Function) else PythonFunction(given)
