"""What asks for tests of a normal distribution, and how the text is read."""

from __future__ import annotations

from flows.analysis.methods.arguments import Arguments
from flows.analysis.methods.measures import of_numbers
from flows.analysis.methods.method import Cue, MethodRequest, setting, words
from flows.analysis.methods.normality.arguments import Normality
from flows.analysis.reading.reader import Unread


def _read(request: MethodRequest) -> Arguments | Unread:
    return of_numbers(request, Normality, {"variant": request.settings.get("method", "")})


CUE = Cue(
    read=_read,
    words=r"(?:tests? (?:of |for )?|check (?:of |for )?|whether )?(?:normality(?: tests?)?|"
        r"normally[- ]distributed|gaussian(?: distribut(?:ion|ed))?|bell[- ](?:shaped|curved?)|"
        r"(?:a |the )?normal(?: distribution|ly)?(?=\W*$|\W+(?:in|for|by)\b)|normal distribution|"
        r"shapiro(?:[- ]wilks?)?(?: tests?)?|d['\u2019]?agostino\S*(?: tests?)?)",
    noun=r"normality|normally distributed|gaussian",
    includes=words("distribution hypothesis_test"),
    settings=(
        setting("method", r"(?:\b(?:with|by|using) )?(?:the |a )?\bshapiro(?:[- "
                          r"]wilks?)?(?:['\u2019]s)?"
                r"(?: tests?)?", "shapiro"),
        setting("method", r"(?:\b(?:with|by|using) )?(?:the |a )?\bd['\u2019]?agostino(?:[- "
                          r"]pearson)?"
                r"(?:['\u2019]s)?(?: tests?)?", "dagostino"),
    ),
    around=words("distribution distributed on do run"),
)  # fmt: skip
