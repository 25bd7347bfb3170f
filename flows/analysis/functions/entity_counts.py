"""How many entities of a type there are, or are related to a key: the call, and what it says."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from flows.analysis.functions.argument_values import Filling
from flows.analysis.functions.asking import QuestionIntent
from flows.analysis.functions.decision import CallResult, FunctionCall, ResultCitation
from flows.analysis.functions.meanings import KIN, likeness
from flows.analysis.functions.mentions import mentions_of
from flows.analysis.functions.schema import FunctionArgument, arguments_of
from flows.analysis.functions.terms import identifier_terms, is_content, term, word_set
from flows.analysis.functions.told import ResultAnswer
from flows.analysis.language.terms import STOP_WORDS, words
from flows.core.function_description import FunctionDescription

_SURE: Final = 0.9
_COUNTED: Final = re.compile(
    r"\b(?:how many|(?:number|count) of|count(?: all)?(?: the)?)(?: of (?:the|our|your))?"
    r"(?: different| the| our| your)? (?P<noun>[^\W\d_]+)"
)
# Words beside the name of a type that do not narrow down which of its entities are counted.
_EXISTING: Final = frozenset(map(term, word_set("""
    there have has got total altogether exist exists store stored known know register registered
    entire overall keep kept hold holds held contain contains database system list listed record
    recorded number count currently entity entities many we you our different in all whats
""")))  # fmt: skip


@dataclass(frozen=True, slots=True)
class _EntityArguments:
    """The arguments of a function that looks entities up."""

    keys: FunctionArgument
    types: FunctionArgument
    related: FunctionArgument | None


def entity_filling(function: FunctionDescription, filling: Filling, text: str) -> Filling:
    """The filling of a look-up of entities: its keys alone, for the type that a question names may
    be that of another entity than the key's. Where the entities of a type are counted, the related
    ones are asked for, and without a key the type."""
    arguments = arguments_of(function.parameters, function.description)
    needed = {each.name for each in arguments if each.required}
    kept = {name: each for name, each in filling.arguments.items() if name in needed}
    filling = replace(filling, arguments=kept)
    entity = _entity_arguments(arguments)
    noun = counted_noun(text) if entity is not None else ""
    if entity is None or not noun:
        return filling
    if entity.keys.name in kept:
        named = [each for each in entity.types.options if _names(text, str(each))]
        if named and entity.related is not None:
            return replace(filling, arguments={**kept, entity.related.name: True})
        return filling
    types = [each for each in entity.types.options if is_of(noun, str(each))]
    if not types or not _is_whole(text, [*types, *_also(text, entity.types.options)]):
        return filling
    if _least(function, entity.keys.name) > 0:
        return filling
    types = list(dict.fromkeys([*types, *_also(text, entity.types.options)]))
    return replace(
        filling,
        arguments={entity.keys.name: [], entity.types.name: types},
        scores={entity.keys.name: 1.5},
        missing=tuple(each for each in filling.missing if each.name != entity.keys.name),
    )


def key_lookup(function: FunctionDescription, text: str) -> FunctionCall | None:
    """The look-up of all identifiers of a question, of whatever form; None for a function that
    looks up no entities, and for a question without any."""
    entity = _entity_arguments(arguments_of(function.parameters, function.description))
    keys = [str(each.value) for each in mentions_of(text) if each.kind == "code"]
    if entity is None or not keys:
        return None
    return FunctionCall(name=function.name, arguments={entity.keys.name: keys})


def counted_noun(text: str) -> str:
    """The word for what a question counts, "" if it counts nothing: `how many hires`."""
    found = _COUNTED.search(text.casefold())
    return found["noun"] if found else ""


def is_of(noun: str, type_: str) -> bool:
    """Whether a noun names a type of entities: `lines` an `order_line`."""
    return likeness(noun, identifier_terms(type_)[-1]) >= KIN


def _also(text: str, types: Sequence[Any]) -> list[Any]:
    """The types that a question joins to the one that it counts: `bikes and customers`."""
    low = text.casefold()
    joined = re.findall(r"(?:,| and) (?:how many )?([^\W\d_]+)", low)
    return [each for each in types if any(is_of(word, str(each)) for word in joined)]


def _names(text: str, type_: str) -> bool:
    return any(is_of(word, type_) for word in re.findall(r"[^\W\d_]+", text.casefold()))


def _is_whole(text: str, types: Sequence[Any]) -> bool:
    """Whether a question speaks of nothing but all entities of some types."""
    mentions = [each for each in mentions_of(text) if each.kind != "phrase"]
    if any(each.kind != "name" or is_content(each.text.casefold()) for each in mentions):
        return False
    known = {each for type_ in types for each in identifier_terms(str(type_))}
    return all(
        len(word) == 1
        or word in STOP_WORDS
        or term(word) in _EXISTING
        or any(likeness(word, each) >= KIN for each in known)
        for word in words(text)
    )


def _entity_arguments(arguments: Sequence[FunctionArgument]) -> _EntityArguments | None:
    lists = [each for each in arguments if each.is_list]
    keys = next((each for each in lists if each.required and not each.options), None)
    types = next((each for each in lists if each.options and not each.required), None)
    related = next((each for each in arguments if each.name == "related"), None)
    if keys is None or types is None:
        return None
    return _EntityArguments(keys, types, related)


def _least(function: FunctionDescription, name: str) -> int:
    """How many items a list has to have at least."""
    properties = function.parameters.get("properties")
    schema = properties.get(name) if isinstance(properties, Mapping) else None
    least = schema.get("minItems", 0) if isinstance(schema, Mapping) else 0
    return least if isinstance(least, int) else 0


def tell_counts(wanted: QuestionIntent, result: CallResult, data: Any) -> ResultAnswer | None:
    """How many entities there are of the type that a question counts, or are related to each key;
    None where that is not what it asks, or not what a result says."""
    noun = counted_noun(wanted.text)
    if not noun or not isinstance(data, Mapping):
        return None
    for name in ("counts", "related_counts"):
        rows = data.get(name)
        if not isinstance(rows, list):
            continue
        found = [
            (f"/{name}/{place}", row) for place, row in enumerate(rows)
            if _is_count(row) and _is_counted(wanted, noun, row["type"], name)
        ]  # fmt: skip
        if found:
            return _told(wanted, result, found)
    return None


def has_counts(data: Any) -> bool:
    """Whether a result says how many entities of each type are related to a key."""
    return isinstance(data, Mapping) and isinstance(data.get("related_counts"), list)


def _is_count(row: Any) -> bool:
    return (
        isinstance(row, Mapping) and isinstance(row.get("type"), str)
        and isinstance(row.get("count"), int)
    )  # fmt: skip


def _is_counted(wanted: QuestionIntent, noun: str, type_: str, name: str) -> bool:
    """Whether a question counts the entities of a type: `how many hires`, `how many times was it
    hired`."""
    if is_of(noun, type_):
        return True
    if name == "counts":
        return bool(_also(wanted.text, [type_]))
    return noun == "times" and _names(wanted.text, type_)


def _told(
    wanted: QuestionIntent, result: CallResult, rows: Sequence[tuple[str, Mapping[str, Any]]]
) -> ResultAnswer:
    subjects = [str(each.get("key", "")) for _, each in rows]
    texts = []
    for subject, (_, row) in zip(subjects, rows, strict=True):
        head = f"{subject}: " if len(set(subjects)) > 1 else ""
        texts.append(f"{head}{_counted(wanted, row['type'], row['count'])}")
    citations = tuple(
        ResultCitation(call=result.number, path=f"{path}/count", value=str(row["count"]))
        for path, row in rows
    )
    values = tuple(row["count"] for _, row in rows)
    return ResultAnswer("; ".join(texts), citations, _SURE, values, accounted=True)


def _counted(wanted: QuestionIntent, type_: str, count: int) -> str:
    """A count with the name of what is counted, as the question has it if it stands there."""
    spoken = " ".join(re.split(r"[_.-]+", type_))
    plural = next(
        (each for each in re.findall(r"[^\W\d_]+", wanted.text.casefold())
         if each.endswith("s") and is_of(each, type_)), "",
    )  # fmt: skip
    if count == 1:
        return f"1 {spoken}"
    return f"{count} {plural}" if plural else f"{spoken}: {count}"
