"""The embedded model: plays the roles it knows by rules, with no key and no network."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pydantic_core import to_json

from flows.core.chat import ChatReply, ChatRequest, OnText, Turn, Usage
from flows.data.tables import Table
from flows.errors import ModelRefused

if TYPE_CHECKING:
    from flows.analysis.conversation.reader import ConversationReader
    from flows.semantics.model import SemanticModel
    from flows.semantics.query import Query
    from flows.semantics.request import Analysis, Chart

_PIECE = 48


class OfflineModel:
    """A ChatModel that reads the typed inputs of a request instead of its prose.

    It knows the roles `analyst`, `narrator`, `controller`, `clarification`, `task_planning`,
    `executive_summary`, `interpreter`, `interpreter_summary`, `document_fields`, `sql`, `python`,
    `chat`, those of the analyst team (`flows.analysis.team`) and those of the pipeline
    (`flows.analysis.prediction`); any other is refused with ModelRefused. With `evidence` its SQL
    as `sql` also selects the values that an answer rests on (the average by which a group came
    first). Nothing is billed: its usage counts calls, no tokens.

    The rules of a role are imported when it is first played, which can take a quarter of a second;
    most runs play one or two.
    """

    def __init__(self, *, evidence: bool = True) -> None:
        self._evidence = evidence
        self._roles: dict[str, Callable[[ChatRequest], str]] = {
            "analyst": self._propose,
            "narrator": self._narrate,
            "controller": self._control,
            "sql": self._write_sql,
            "python": self._write_python,
            "chat": self._chat,
            "clarification": self._clarify,
            "task_planning": self._plan,
            "executive_summary": self._summarize,
            "interpreter": self._interpret,
            "interpreter_summary": self._shorten,
            "document_fields": self._find_fields,
        }

    @property
    def name(self) -> str:
        return "offline"

    @property
    def free(self) -> bool:
        return True

    @property
    def max_tokens(self) -> None:
        return None

    def body(self, request: ChatRequest) -> bytes:
        """The values that its rules read, as JSON: it reads no prose."""
        turns = [{"inputs": turn.inputs, "reply": turn.reply} for turn in request.turns]
        return to_json({"role": request.role, "inputs": request.inputs, "turns": turns})

    async def reply(self, request: ChatRequest, on_text: OnText | None = None) -> ChatReply:
        """Answer for the request's role; the text is handed on in pieces."""
        if any(each.images for each in request.messages):
            raise ModelRefused(
                "the embedded model sees no pictures; use one that does, as in model=openai"
            )
        play = self._roles.get(request.role)
        text = play(request) if play is not None else self._by_agent(request)
        if on_text is not None:
            for start in range(0, len(text), _PIECE):
                on_text(text[start : start + _PIECE])
        usage = Usage(model_calls=1, input_tokens=0, output_tokens=0)
        return ChatReply(text=text, finish="stop", model=self.name, usage=usage)

    async def aclose(self) -> None:
        """There is nothing to give up."""

    def _propose(self, request: ChatRequest) -> str:
        from flows.analysis.analyst.proposal import Analyst

        given = request.inputs
        tables, model = _data(given)
        analyst = Analyst(
            tables,
            model,
            answer_above=float(given.get("answer_above") or 0.0),
            ask_above=float(given.get("ask_above") or 0.0),
        )
        made = analyst.propose(str(_needed(request, "question")), given.get("found") or ())
        if made.pop("parts"):  # each of them is answered by itself
            return _json(made)
        return _json({**made, "request": None, "read_as": made["request"]})

    def _clarify(self, request: ChatRequest) -> str:
        from pydantic import TypeAdapter

        from flows.analysis.conversation.turn import ConversationTurn

        given = request.inputs
        turns = TypeAdapter(tuple[ConversationTurn, ...]).validate_python(given.get("turns") or ())
        reader = _conversation(given)
        return _json(reader.read(str(_needed(request, "original_question")), turns).as_reply())

    def _plan(self, request: ChatRequest) -> str:
        question = str(_needed(request, "final_question"))
        tasks = _conversation(request.inputs).plan(question)
        return _json({
            "is_complex": "yes" if len(tasks) > 1 else "no",
            "tasks": [each.question for each in tasks] or [question],
            "requests": [each.request and each.request.model_dump(mode="json") for each in tasks],
        })  # fmt: skip

    def _summarize(self, request: ChatRequest) -> str:
        from flows.analysis.conversation.summary import summarize

        return summarize(request.inputs, _conversation(request.inputs).analyst)

    def _narrate(self, request: ChatRequest) -> str:
        from flows.analysis.methods.answer import Result, narrate
        from flows.semantics.request import REQUEST

        given = request.inputs
        rows = tuple(tuple(row) for row in given.get("rows") or ())
        result = Result(
            columns=tuple(given.get("columns") or ()),
            rows=rows,
            total=int(given.get("total_rows") or len(rows)),
            name=given.get("result"),
        )
        asked = given.get("request")
        what = None if asked is None else REQUEST.validate_python(asked)
        tables, model = _data(given)
        return narrate(what, model, tables, result)

    def _write_sql(self, request: ChatRequest) -> str:
        from flows.analysis.reading.reader import Unread, read
        from flows.analysis.requests.sql import sql_of
        from flows.semantics.kinds import with_evidence
        from flows.semantics.query import Query

        (tables, model), asked = _data(request.inputs), _asked(request)
        if isinstance(asked, Query):
            query, how = asked, ""
        else:
            reading = read(str(_needed(request, "question")), tables, model)
            if isinstance(reading, Unread):
                how = "; ".join(reading.understood)
                return _json({"sql": None, "explanation": how, "cannot": str(reading)})
            query, how = reading.query, reading.explanation
        whole = with_evidence(query, model) if self._evidence else query
        if found := request.inputs.get("found"):
            # The same question has one reading; the same text would only fail again.
            if whole == query:
                why = f"the only reading of it failed: {found[-1]['said']}"
                return _json({"sql": None, "explanation": how, "cannot": why})
            whole = query
        sql = sql_of(whole, model, tables)
        return _json({"sql": sql, "explanation": how, "cannot": None})

    def _write_python(self, request: ChatRequest) -> str:
        from flows.analysis.methods.analyses import study_of
        from flows.analysis.methods.compile import compile_study
        from flows.analysis.methods.method import MethodError
        from flows.analysis.methods.read import read_study
        from flows.analysis.methods.specification import Specification
        from flows.analysis.reading.reader import Unread
        from flows.semantics.query import Query

        (tables, model), asked = _data(request.inputs), _asked(request)
        found: Specification[Any] | Unread | None
        try:
            if asked is not None and not isinstance(asked, Query):
                found = study_of(asked, model, tables)
            else:
                found = read_study(str(_needed(request, "task")), tables, model)
            code = compile_study(found, tables) if isinstance(found, Specification) else None
        except MethodError as fault:
            return _json({"code": None, "cannot": str(fault)})
        if not isinstance(found, Specification):
            why = "no word of it asks for a statistic or a figure that the rules know"
            return _json({"code": None, "cannot": str(found or why)})
        if error := str(request.inputs.get("error") or ""):
            # The same task has one reading; the same code would only fail again.
            why = f"the only reading of it failed: {error.splitlines()[0]}"
            return _json({"code": None, "cannot": why})
        return _json({"code": code, "explanation": found.explanation, "cannot": None})

    def _control(self, request: ChatRequest) -> str:
        from flows.analysis.loop.commands import Commands
        from flows.analysis.loop.controller import Controller

        commands = Commands.of(_needed(request, "commands"))
        tables, model = _data(request.inputs)
        controller = Controller(tables, commands, model)
        decision = controller.decide(request.inputs, [_turn(turn) for turn in request.turns])
        return _json(decision.reply())

    def _interpret(self, request: ChatRequest) -> str:
        from flows.analysis.functions.decision import DECISION, DecisionInputs
        from flows.analysis.functions.interpreter import decide

        _needed(request, "question")
        names = DecisionInputs.model_fields
        given = {name: value for name, value in request.inputs.items() if name in names}
        return DECISION.dump_json(decide(DecisionInputs.model_validate(given))).decode()

    def _shorten(self, request: ChatRequest) -> str:
        from flows.analysis.functions.summary import summarize_texts

        return _json(summarize_texts(str(_needed(request, "question")), request.inputs["texts"]))

    def _find_fields(self, request: ChatRequest) -> str:
        from flows.analysis.extraction.rules import find_fields

        _needed(request, "passages")
        return find_fields(request.inputs).model_dump_json()

    def _by_agent(self, request: ChatRequest) -> str:
        from flows.analysis.prediction import roles as pipeline
        from flows.analysis.team.roles import ROLES, find_role
        from flows.semantics.tables import fields_of

        if request.role in pipeline.ROLES:
            return pipeline.find_role(request.role)(request.inputs)
        if request.role not in ROLES:
            known = sorted((*self._roles, *ROLES, *pipeline.ROLES))
            raise ModelRefused(
                f"the offline model does not know the role {request.role!r}; "
                f"it knows {', '.join(known)}"
            )
        tables, model = _tables(request.inputs), _model(request.inputs)
        given = {**request.inputs, "semantic_model": model}
        return _json(find_role(request.role)(given, fields_of(tables, model)))

    def _chat(self, _request: ChatRequest) -> str:
        return (
            "I am the offline model: I work by rules and cannot hold a free conversation. I can "
            "control a run (role controller), answer a question over tables (roles analyst and "
            "narrator), turn questions about tables into SQL (role sql) and requests for "
            "statistics and figures into Python (role python). For anything else "
            "choose another model, for example model=openai."
        )


def _conversation(given: Mapping[str, Any]) -> ConversationReader:
    """Who reads the turns of a conversation over the data of a request."""
    from flows.analysis.analyst.proposal import Analyst
    from flows.analysis.conversation.reader import ConversationReader

    tables, model = _data(given)
    limits = (float(given.get(each) or 0.0) for each in ("answer_above", "ask_above"))
    return ConversationReader(Analyst(tables, model, *limits))


def _needed(request: ChatRequest, key: str) -> Any:
    if key not in request.inputs:
        raise ModelRefused(
            f"the role {request.role!r} of the offline model needs the input {key!r}"
        )
    return request.inputs[key]


def _asked(request: ChatRequest) -> Query | Analysis | Chart | None:
    """What the request of the role's inputs asks for, where it is one that can be computed."""
    from flows.semantics.query import Query
    from flows.semantics.request import REQUEST, Analysis, Chart

    given = request.inputs.get("request")
    asked = None if given is None else REQUEST.validate_python(given)
    return asked if isinstance(asked, Query | Analysis | Chart) else None


def _tables(inputs: Mapping[str, Any]) -> tuple[Table, ...]:
    from flows.analysis.loop.goal import tables_of

    values: Sequence[Any] = inputs.get("tables") or ()
    return tables_of(values)


def _data(inputs: Mapping[str, Any]) -> tuple[tuple[Table, ...], SemanticModel]:
    """The tables as their semantic model means them, and the model."""
    from flows.semantics.tables import meant

    model = _model(inputs)
    return meant(_tables(inputs), model), model


def _model(inputs: Mapping[str, Any]) -> SemanticModel:
    """The semantic model of the tables; where none is given, what they tell by themselves."""
    from flows.semantics.inference.model import infer_model
    from flows.semantics.model import SemanticModel

    given = inputs.get("semantic_model")
    if given is None:
        return infer_model(_tables(inputs))
    return given if isinstance(given, SemanticModel) else SemanticModel.model_validate(given)


def _turn(turn: Turn) -> tuple[Mapping[str, Any], str]:
    return turn.inputs, turn.reply


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False)
