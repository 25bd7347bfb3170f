"""The parts of a question, which results belong to each, and what they say to it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from flows.analysis.functions.asking import QuestionIntent, wanted_of
from flows.analysis.functions.decision import CallResult, DecisionInputs, ResultCitation
from flows.analysis.functions.explanation import NAMING, STRAY, explained, strays, tells_money
from flows.analysis.functions.field_notes import is_cut, notes_of
from flows.analysis.functions.filters import plain_value, scalars_of
from flows.analysis.functions.keys import is_number
from flows.analysis.functions.lineage import argument_values, result_values, sources_of
from flows.analysis.functions.mentions import mentions_of
from flows.analysis.functions.periods import written_periods
from flows.analysis.functions.records import Scalar, data_of, fields_of, lists_of
from flows.analysis.functions.telling import tell
from flows.analysis.functions.told import ResultAnswer, shown
from flows.analysis.language.sentences import split_goal

_REFERS: Final = re.compile(
    r"\b(?:it|its|it's|they|their|them|he|she|his|her|him|that|those|these|this|there|same)\b",
    re.IGNORECASE,
)


# The classes of functions whose results are texts, and the records of single things.
_TEXTS, _ENTITY = "VectorSearch", "entity"
_JOINED: Final = re.compile(
    r",?\s+(?:and|plus|as well as)\s+(?=(?:what|which|where|who|how|when|whose)\b"
    r"|(?!one\b|that\b|those\b)(?:the )?[a-z]+(?: [a-z]+){0,2} of )",
    re.IGNORECASE,
)
_STATES: Final = re.compile(
    r"^(?:i|we|my|our|there)\b(?!.*\b(?:what|which|how|who|where|when)\b)", re.IGNORECASE
)
# What only says when, where or of what, and asks nothing by itself.
_ADJUNCT: Final = re.compile(
    r"^(?:in|at|on|for|of|from|since|during|between|until|before|after|among|with|within|by|as for)"
    r"\b(?!.*\b(?:what|which|how|who|where|when|why|whose)\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class QuestionPart:
    """One of the questions that were asked. `context` is the question before it, where it refers
    to that, else ""."""

    text: str
    context: str = ""


@dataclass(frozen=True, slots=True)
class PartAnswer:
    """What the results say to a part: how surely (0 to 1), and the names of the functions."""

    text: str
    citations: tuple[ResultCitation, ...]
    score: float
    functions: tuple[str, ...]

    @property
    def is_computed(self) -> bool:
        """Whether it was worked out of the list of one call."""
        first = self.citations[0] if self.citations else None
        return first is not None and bool(first.operation) and len(self.calls) == 1

    @property
    def calls(self) -> frozenset[int]:
        """The numbers of the calls that it cites."""
        return frozenset(each.call for each in self.citations)


def parts_of(question: str) -> tuple[QuestionPart, ...]:
    """The questions of a text, in order. What only states something belongs to the next one."""
    texts: list[str] = []
    for text in (_as_written(each, question) for each in split_goal(question) or (question,)):
        if texts and _STATES.match(texts[-1]):
            texts[-1] = f"{texts[-1]}; {text}"
        elif texts and _ADJUNCT.match(texts[-1]):
            texts[-1] = f"{texts[-1]}, {text[:1].lower()}{text[1:]}"
        else:
            texts.extend(_halves(text))
    found: list[QuestionPart] = []
    for text in texts:
        before = found[-1].text if found else ""
        found.append(QuestionPart(text, before if before and _REFERS.search(text) else ""))
    return tuple(found)


def _as_written(text: str, question: str) -> str:
    """A part with its first letter as the question has it: a capital there would begin a name."""
    small = f"{text[:1].lower()}{text[1:]}"
    return small if small in question and text not in question else text.strip()


def _halves(text: str) -> tuple[str, ...]:
    """Two questions that `and` or `plus` joins: each names a value of its own."""
    for match in _JOINED.finditer(text):
        left, right = text[: match.start()].strip(" ,"), text[match.end() :].strip()
        if _names_value(left) and _names_value(right):
            return left, right
    return (text,)


def _names_value(text: str) -> bool:
    return any(
        each.kind in NAMING or (each.kind == "number" and each.text.isdigit() and not each.measure)
        for each in mentions_of(text)
    )


def results_for(part: QuestionPart, inputs: DecisionInputs) -> tuple[CallResult, ...]:
    """The results that belong to a part: those whose arguments the part or the person's answers
    name, or that came by arguments out of results that belong to it."""
    results, today = inputs.results, inputs.today
    text = " ".join([part.text, part.context, *(each.answer for each in inputs.answers)])
    mentioned = " ".join(str(each.value) for each in mentions_of(text))
    said = plain_value(f"{text} {mentioned}")  # a month may be given as 2024-06
    known = {plain_value(each) for each in written_periods(text, today)}
    found: list[CallResult] = []
    for result in results:
        values = [plain_value(each) for each in scalars_of(result.arguments)]
        if all(each in known or _is_said(each, said) for each in values):
            found.append(result)
            if result.kind == "ok":
                known |= result_values(result)
    return tuple(found)


def _is_said(value: str, said: str) -> bool:
    if value in ("true", "false") or value in said or said.startswith(value):
        return True
    whole = value.replace(" ", "")  # the key `bk 03` may be written `bk03`
    return not whole.isalpha() and not whole.isdigit() and whole in said.replace(" ", "")


def answer_part(
    part: QuestionPart, results: Sequence[CallResult], inputs: DecisionInputs
) -> PartAnswer | None:
    """The best that the results say to a part; None where they say nothing of it."""
    wanted = wanted_of(part.text, inputs.today)
    groups: dict[str, list[tuple[CallResult, ResultAnswer]]] = {}
    for result in results:
        sources = sources_of(result, inputs.results, plain_value(wanted.text))
        before = {value for each in sources for value in argument_values(each)}
        told = tell(with_notes(wanted, result, inputs), whole_or_cut(result, inputs), before)
        if told is not None:
            groups.setdefault(_group(result), []).append((result, told))
    found = [_answer(wanted, each, inputs) for each in groups.values()]
    return max(found, key=lambda each: each.score, default=None)


def with_notes(
    wanted: QuestionIntent, result: CallResult, inputs: DecisionInputs
) -> QuestionIntent:
    """What is wanted, with what the function of a result says of its fields."""
    function = next((each for each in inputs.stack if each.name == result.name), None)
    if function is None or result.kind != "ok" or function.function_class == _TEXTS:
        return wanted
    data = data_of(result)
    keys = [each.key for each in fields_of(data)]
    keys += [key for records in lists_of(data) for key in records.keys]
    said = f"{function.description}\n{function.returns}"
    notes = notes_of(said, tuple(dict.fromkeys(keys)))
    notes = replace(notes, is_money=tells_money(wanted, result, inputs))
    if function.function_class == _ENTITY:  # a record is kept for all of its fields
        notes = replace(notes, main="")
    return replace(wanted, notes=notes)


def whole_or_cut(result: CallResult, inputs: DecisionInputs) -> CallResult:
    """A result, said to be cut where its list is as long as the limit that its function sets."""
    function = next((each for each in inputs.stack if each.name == result.name), None)
    data = data_of(result)
    if function is None or not isinstance(data, list):
        return result
    if not is_cut(function, tuple(result.arguments), len(data)):
        return result
    return result.model_copy(update={"whole": False})


def _group(result: CallResult) -> str:
    """Calls of one function with the same arguments by name are of one group."""
    return f"{result.name} {sorted(result.arguments)}"


def _answer(
    wanted: QuestionIntent,
    told: Sequence[tuple[CallResult, ResultAnswer]],
    inputs: DecisionInputs,
) -> PartAnswer:
    result = told[-1][0]
    one = told[0][1] if len(told) == 1 else _joined(wanted, told)
    said = plain_value(wanted.text)
    sources = {
        source.number: source
        for each, _ in told
        for source in sources_of(each, inputs.results, said)
    }
    before = tuple(each.name for each in sources.values())
    used = [each for each, _ in told]
    noted = with_notes(wanted, result, inputs)
    score = one.score * explained(noted, result, one, inputs, before)
    score *= STRAY ** strays(wanted, (*used, *sources.values()), used)
    return PartAnswer(one.text, one.citations, score, (result.name,))


def _joined(
    wanted: QuestionIntent, told: Sequence[tuple[CallResult, ResultAnswer]]
) -> ResultAnswer:
    """What several calls of one function say together."""
    citations = tuple(each for _, one in told for each in one.citations)
    score = min(one.score for _, one in told)
    values: list[tuple[str, Scalar]] = [
        (_subject(result, told), one.values[0]) for result, one in told if one.values
    ]
    numbers = [(name, float(value)) for name, value in values if is_number(value)]
    if len(numbers) == len(told):
        if wanted.operation in ("sum", "average", "difference"):
            total = sum(value for _, value in numbers)
            value = {
                "sum": total, "average": total / len(numbers),
                "difference": abs(numbers[0][1] - numbers[-1][1]),
            }[wanted.operation]  # fmt: skip
            operation = {"average": "mean"}.get(wanted.operation, wanted.operation)
            where = ResultCitation(
                call=told[0][0].number, path=citations[0].path, value=shown(value),
                operation=operation,
                over=tuple(f"{each.call}:{each.path}" for each in citations),
            )  # fmt: skip
            return ResultAnswer(shown(value), (where, *citations), score, (value,))
        if wanted.operation in ("maximum", "minimum"):
            best = (min if wanted.ascending else max)(numbers, key=lambda each: each[1])
            return ResultAnswer(f"{best[0]}: {shown(best[1])}", citations, score, (best[1],))
    texts = [f"{_subject(result, told)}: {one.text}" for result, one in told]
    return ResultAnswer("; ".join(texts), citations, score, tuple(value for _, value in values))


def _subject(result: CallResult, told: Sequence[tuple[CallResult, ResultAnswer]]) -> str:
    """The argument by which a call differs from the others of its group."""
    for name, value in result.arguments.items():
        if any(other.arguments.get(name) != value for other, _ in told):
            return str(value)
    return result.name
