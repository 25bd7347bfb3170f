"""The answer of a function that reads the question itself and says what it found in a sentence."""

from __future__ import annotations

import re
from typing import Any, Final

from flows.analysis.functions.decision import CallResult, Citation
from flows.analysis.functions.records import lists_of
from flows.analysis.functions.told import Told, shown

_SURE: Final = re.compile(r"\(read with confidence (?P<sure>[01](?:\.\d+)?)[^\n]*\)")
_USUAL: Final = 0.75
_MOST_CITED: Final = 40


def tell_sentence(result: CallResult) -> Told | None:
    """The sentence before the note on how the question was read, with the cells that it tells."""
    if result.kind != "ok" or not result.text.strip():
        return None
    read = _SURE.search(result.text)
    text = (result.text[: read.start()] if read else result.text).strip()
    if not text:
        return None
    sure = float(read["sure"]) if read else _USUAL
    cited = _cells(text, result)
    if not cited:
        cited = [Citation(call=result.number, path="", value=text)]
    return Told(text, tuple(cited), min(1.0, sure), (text,))


def _cells(text: str, result: CallResult) -> list[Citation]:
    """The cells of the result's table that the sentence tells."""
    plain: Any = text.replace(",", "")
    found: list[Citation] = []
    for records in lists_of(result.data):
        for row, values in enumerate(records.rows):
            for key, value in values.items():
                said = shown(value)
                if re.search(rf"(?<![\w.]){re.escape(said)}(?![\w])", plain):
                    place = records.path_of(row, key)
                    found.append(Citation(call=result.number, path=place, value=said))
            if len(found) >= _MOST_CITED:
                return found
    return found
