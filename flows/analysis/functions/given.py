"""The kinds of the values that a question gives, in words that functions use for them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from flows.analysis.functions.hints import unit_words
from flows.analysis.functions.mentions import ValueMention, mentions_of
from flows.analysis.functions.periods import periods_of
from flows.analysis.language.places import COUNTRIES, CURRENCIES, WEEKDAYS

_SPANS: Final = "period start end first last day date"
_OF_GRAIN: Final = {
    "day": "day date", "week": f"week {_SPANS}", "month": f"month {_SPANS}",
    "quarter": f"quarter {_SPANS}", "year": f"year {_SPANS}", "": _SPANS,
}  # fmt: skip
_OF_KIND: Final = {"email": "email address", "url": "url link", "time": "time"}
# Any day will do: only the words of a period are wanted.
_TODAY: Final = "2024-01-01"


def given_kinds(text: str) -> tuple[str, ...]:
    """Words for the kinds of the values of a text: `month` for May 2024, `weight kg` for 12 kg."""
    found = [word for each in periods_of(text, _TODAY) for word in _OF_GRAIN[each.grain].split()]
    for mention in mentions_of(text):
        found.extend(_words_of(mention))
    return tuple(dict.fromkeys(found))


def _words_of(mention: ValueMention) -> Iterator[str]:
    low = mention.text.casefold()
    if mention.kind == "number":
        unit = "percent" if mention.unit == "%" else (mention.after or ("",))[0]
        yield from unit_words(unit)[:4]
    elif mention.kind == "name":
        if low in COUNTRIES:
            yield "country"
        elif low in CURRENCIES:
            yield "currency"
        elif low in WEEKDAYS:
            yield from ("weekday", "day")
    else:
        yield from _OF_KIND.get(mention.kind, "").split()
