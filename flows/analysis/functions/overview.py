"""All that a result holds of a thing: the answer to `describe KT-2011`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from flows.analysis.functions.decision import CallResult, ResultCitation
from flows.analysis.functions.filters import plain_value
from flows.analysis.functions.matching import content_words
from flows.analysis.functions.meanings import KIN, likeness
from flows.analysis.functions.mentions import mentions_of
from flows.analysis.functions.records import ResultField, fields_of, lists_of
from flows.analysis.functions.terms import identifier_terms
from flows.analysis.functions.told import ResultAnswer, shown
from flows.analysis.functions.wording import spoken, values_of

_SURE: Final = 0.9
_MOST_FIELDS: Final = 20
_LONGEST: Final = 300  # characters of a value
_POLITE = r"^\W*(?:please,? )?(?:(?:can|could|would) you (?:please )?)?"
_DESCRIBE: Final = re.compile(
    rf"{_POLITE}(?:describe|tell (?:me|us) (?:\w+ (?:you know |there is )?)?about|summari[sz]e"
    r"|what (?:do (?:you|we)|can you|is|else is) (?:know|say|tell (?:me|us)|known|there)"
    r" (?:about|of|on)|(?:(?:show|give|tell) (?:me|us) )?(?:all |the |everything |more )*"
    r"(?:information|info|details?|facts?|data|overview|summary|profile)?"
    r" ?(?:on|about|of|for)|look up|show(?: me| us)?)\s+(?P<rest>.+)$",
    re.IGNORECASE,
)


def described_thing(text: str) -> str | None:
    """What a question asks to describe, in its words; None for a question that asks for something
    of it. A key alone is described."""
    if found := _DESCRIBE.match(text):
        return found["rest"]
    codes = [each for each in mentions_of(text) if each.kind == "code"]
    alone = len(codes) == 1 and text.strip(" ?.!") == codes[0].text
    return text if alone else None


def tell_overview(text: str, result: CallResult, data: Any) -> ResultAnswer | None:
    """The fields of the thing that a question asks to describe, each with its place; None where it
    asks for something else, or for another thing than the call was given."""
    rest = described_thing(text)
    if rest is None or not isinstance(data, Mapping):
        return None
    given = {plain_value(each) for each in values_of(result.arguments)}
    named = [plain_value(each.value) for each in mentions_of(rest) if each.kind != "phrase"]
    if not named or not all(each in given for each in named):
        return None
    things = list(_things(data))
    names = identifier_terms(result.name) + tuple(
        term for name in (*result.arguments, *(type_ for type_, _, _ in things))
        for term in identifier_terms(name)
    )  # fmt: skip
    if any(all(likeness(word, each) < KIN for each in names) for word in content_words(rest)):
        return None
    told = [_told(result, head, fields, given) for _, head, fields in things]
    whole = [each for each in told if each is not None]
    if not whole:
        return None
    return ResultAnswer(
        "\n".join(each for each, _ in whole),
        tuple(each for _, cited in whole for each in cited),
        _SURE,
        accounted=True,
    )


def _things(data: Mapping[str, Any]) -> Iterator[tuple[str, str, Sequence[ResultField]]]:
    """The type, the name and the fields of each thing: of the entities of a store, else of the
    result itself."""
    entities = data.get("entities")
    if not isinstance(entities, list):
        yield "", "", (*fields_of(data), *_counted(data))
        return
    for place, entity in enumerate(entities):
        if not isinstance(entity, Mapping):
            continue
        parts = {name: entity[name] for name in ("values", "relations", "hint") if name in entity}
        relations = parts.pop("relations", ())
        fields = [
            *fields_of(parts),
            *(
                ResultField(f"/relations/{number}/key", str(each.get("name", "")), each["key"])
                for number, each in enumerate(relations)
                if isinstance(each, Mapping) and isinstance(each.get("key"), str)
            ),
            *_counted(parts.get("values", {}), "/values"),
        ]
        type_ = str(entity.get("type", ""))
        at = f"/entities/{place}"
        yield type_, f"{type_} {entity.get('key', '')}".strip(), [
            ResultField(f"{at}{each.path}", each.key, each.value) for each in fields
        ]  # fmt: skip


def _counted(data: Any, at: str = "") -> Iterator[ResultField]:
    """How many elements the lists of more than one have, as fields."""
    for records in lists_of(data):
        plain = [row[""] for row in records.rows if tuple(row) == ("",)]
        if len(records.rows) > 1 and len(plain) == len(records.rows):
            yield ResultField(f"{at}{records.path}", records.name, ", ".join(map(shown, plain)))
        elif len(records.rows) > 1:
            yield ResultField(f"{at}{records.path}", records.name, len(records.rows))


def _told(
    result: CallResult, head: str, fields: Sequence[ResultField], given: set[str]
) -> tuple[str, tuple[ResultCitation, ...]] | None:
    free = [each for each in fields if plain_value(each.value) not in given]
    free = [each for each in free if len(str(each.value)) <= _LONGEST]
    if not free:
        return None
    texts = [f"{spoken(each.key or result.name)}: {shown(each.value)}" for each in free]
    more = f"; and {len(free) - _MOST_FIELDS} more" if len(free) > _MOST_FIELDS else ""
    cited = tuple(
        ResultCitation(call=result.number, path=each.path, value=shown(each.value))
        for each in free[:_MOST_FIELDS]
    )
    listed = "; ".join(texts[:_MOST_FIELDS])
    return f"{head}: {listed}{more}" if head else f"{listed}{more}", cited
