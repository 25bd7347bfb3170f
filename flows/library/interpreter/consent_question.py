"""What a person is asked before calls that may change something, and what their answer means."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict
from pydantic_core import to_jsonable_python

from flows.core.function_description import FunctionDescription
from flows.core.function_store import ApprovedFunction
from flows.core.human import Question
from flows.core.values import Values
from flows.tools.text import cap, plain

ConsentWord = Literal["yes", "no", "always"]

_WORDS: Final[Mapping[str, ConsentWord]] = {
    "y": "yes", "yes": "yes", "ok": "yes", "approve": "yes",
    "n": "no", "no": "no", "": "no",
    "a": "always", "always": "always",
}  # fmt: skip
_NUMBER: Final = re.compile(r"[0-9]+")
_MOST_VALUE: Final = 400  # characters of an argument that are shown
_MOST_ARGUMENTS: Final = 40
_MOST_CHANGE: Final = 3_000  # characters of a changed description that are shown
_MOST_TEXT: Final = 5_000  # characters of a question for several calls; all of it is to be seen
_MOST_CHOICES: Final = 10  # calls of a question that can be chosen alone by a button


class ConsentCall(BaseModel):
    """A call that may need a yes: the function as it stands on the stack, and the arguments. A
    function that is `pinned` is a flow of the run, the others are of its store."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    function: FunctionDescription
    arguments: Mapping[str, object] = {}
    pinned: bool = False

    @property
    def key(self) -> str:
        """What a call is known by: its function and its arguments."""
        given = to_jsonable_python(self.arguments, fallback=str)
        return json.dumps([self.function.id, given], sort_keys=True)


@dataclass(frozen=True, slots=True)
class ConsentQuestion:
    """A question about one call or several, in the order of their numbers."""

    question: Question
    calls: tuple[ConsentCall, ...]

    def read(self, said: str) -> tuple[ConsentWord, ...] | None:
        """The word for each call, or None where the text is no answer."""
        text = said.strip().rstrip(".!").casefold()
        word = _WORDS.get(text)
        if word is not None:
            return (word,) * len(self.calls)
        if len(self.calls) == 1 or not re.fullmatch(_chosen(len(self.calls)), text):
            return None
        chosen = {int(each) for each in _NUMBER.findall(text)}
        return tuple("yes" if n in chosen else "no" for n in range(1, len(self.calls) + 1))

    @property
    def allowed(self) -> str:
        """What can be said to it, in words."""
        words = ", ".join(("yes", "no", "always"))
        return words if len(self.calls) == 1 else f"{words}, or numbers as 1 2"


def consent_questions(calls: Sequence[ConsentCall], key: str) -> Iterator[ConsentQuestion]:
    """One question for all the calls; more only where they are longer than a person would read.
    `key` is the id of the first question, with which those of the others begin."""
    some: list[ConsentCall] = []
    length = 0
    number = 1
    for each in calls:
        more = len("\n".join(_argument_lines(each, "")))
        if some and length + more > _MOST_TEXT:
            yield _question(tuple(some), _part(key, number))
            some, length, number = [], 0, number + 1
        some.append(each)
        length += more
    if some:
        yield _question(tuple(some), _part(key, number))


def approval_question(name: str, function: ApprovedFunction, key: str) -> Question:
    """Whether a function that has changed is approved: what it said before, and says now."""
    change = function.change
    shown = change[:_MOST_CHANGE]
    if len(shown) < len(change):
        shown += "\n[cut: flows functions approve shows all of it]"
    return Question(
        id=f"{key}:approve:{name}",
        text=f"{name}: {function.pending}.\n{shown}\nIs it approved as it is now? (yes or no) ",
        context={"function": name, "change": change},
        answer_schema={"type": "string", "enum": ["yes", "no"]},
    )


def read_approval(said: str) -> bool | None:
    """Whether the answer is a yes; None where the text is no answer."""
    word = _WORDS.get(said.strip().rstrip(".!").casefold())
    return None if word in (None, "always") else word == "yes"


def _part(key: str, number: int) -> str:
    return key if number == 1 else f"{key}:{number}"


def _question(calls: tuple[ConsentCall, ...], key: str) -> ConsentQuestion:
    contexts: list[Values] = [
        {
            "function": each.function.id,
            "arguments": to_jsonable_python(each.arguments, fallback=str),
        }
        for each in calls
    ]
    if len(calls) == 1:
        name = calls[0].function.id
        lines = [f"{name} may change something. Is it to be called?"]
        lines += _argument_lines(calls[0], "  ")
        lines.append("(yes, no, or always in this run) ")
        schema: Values = {"type": "string", "enum": ["yes", "no", "always"]}
        question = Question(
            id=key, text="\n".join(lines), context=contexts[0], answer_schema=schema
        )
        return ConsentQuestion(question, calls)
    lines = [f"{len(calls)} calls may change something. Are they to be made?"]
    for number, each in enumerate(calls, 1):
        lines.append(f"  {number}. {each.function.id}")
        lines += _argument_lines(each, "     ")
    lines.append("(yes to all, no, always in this run, or the numbers of those to make, as 1 2) ")
    question = Question(
        id=key,
        text="\n".join(lines),
        context={"calls": contexts},
        answer_schema=_schema(len(calls)),
    )
    return ConsentQuestion(question, calls)


def _argument_lines(call: ConsentCall, indent: str) -> list[str]:
    """The arguments of a call, a line each."""
    given = to_jsonable_python(call.arguments, fallback=str)
    lines = []
    for key, value in list(given.items())[:_MOST_ARGUMENTS]:
        shown = cap(plain(json.dumps(value, ensure_ascii=False)), _MOST_VALUE)
        lines.append(f"{indent}{plain(str(key))}: {shown}")
    if len(given) > _MOST_ARGUMENTS:
        lines.append(f"{indent}and {len(given) - _MOST_ARGUMENTS} more arguments")
    return lines


def _chosen(count: int) -> str:
    """The numbers of calls as a person writes them: "1", "only 2", "1, 3 and 4"."""
    one = f"({'|'.join(map(str, range(1, count + 1)))})"
    return f"^(only )?{one}(( and |[ ,;]+){one})*$"


def _schema(count: int) -> Values:
    """What answers a question about several calls; each can be chosen alone, by a button too."""
    words = ["yes", "no", "always"]
    if count <= _MOST_CHOICES:
        words += [f"only {number}" for number in range(1, count + 1)]
    numbers = {"pattern": _chosen(count), "description": "numbers of calls as 1 2"}
    return {"type": "string", "anyOf": [*({"const": each} for each in words), numbers]}
