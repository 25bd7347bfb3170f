"""What asks for values that are missing, and how the text is read."""

from __future__ import annotations

from flows.analysis.methods.arguments import Arguments
from flows.analysis.methods.method import Cue, MethodRequest, words
from flows.analysis.methods.missing_values.arguments import MissingValues
from flows.analysis.reading.reader import Unread
from flows.semantics.query import FieldRef, Missing, Not


def _read(request: MethodRequest) -> Arguments | Unread:
    kept, named = [], [c.name for c in request.columns]
    for test in request.tests:  # what is asked is no condition here
        match test:
            case Missing(of=FieldRef(field=name)) | Not(of=Missing(of=FieldRef(field=name))):
                named.append(name)
            case _:
                kept.append(test)
    request.tests = kept
    fields = tuple(named) or tuple(c.name for c in request.table.columns)
    return request.make(MissingValues, {"fields": fields})


_GAP = r"(?:missing|null|nan|blank|empty)"


CUE = Cue(
    read=_read,
    words=rf"(?:(?:any|the|of|most|how many) )*{_GAP}[- ](?:values?|data|entries|cells)(?: (?:are "
        rf")?(?:in|of)"
        rf"(?: (?:each|every|any|the) columns?)?)?|(?:nulls?|nans?)(?= in)|{_GAP}ness|"
        rf"(?:how many|what (?:share|percentage|fraction|proportion) of|how much of)(?: the)? "
        rf"(?:values|"
        rf"data|entries|cells)?(?= .*{_GAP})|how complete(?: is| are)?(?: the| my| this)? ?(?:data|"
        rf"table|rows)?|how much (?:of (?:the|my) )?data is missing|completeness|complete rows|"
        rf"rows (?:are complete|have no gaps)(?: at all)?",
    hint=rf"(?:values|share|percentage|fraction|proportion|cells|entries) .*\b(?:is|are) {_GAP}",
    noun=rf"{_GAP} (?:values|data)",
    around=words(
        f"""missing null nan blank empty values share how many much are is column columns row rows
        gaps gap no have has at all complete table percent percentage fraction proportion {_GAP}"""
    ),
)  # fmt: skip
