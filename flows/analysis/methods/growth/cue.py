"""What asks for growth and changes from step to step, and how the text is read."""

from __future__ import annotations

import re

from flows.analysis.methods.arguments import Arguments
from flows.analysis.methods.growth.arguments import Growth
from flows.analysis.methods.method import Cue, MethodRequest, setting, words
from flows.analysis.methods.time_series import AROUND_TIME, over_time
from flows.analysis.reading.reader import Unread
from flows.semantics.inference.quantities import additive_of

_EVERY = {"day": "daily", "week": "weekly", "month": "monthly", "quarter": "quarterly",
          "year": "yearly"}  # fmt: skip


def _read(request: MethodRequest) -> Arguments | Unread:
    every = request.settings.get("every", "").casefold()
    if every:
        return over_time(request, Growth, {"stepwise": True, "every": every})
    if "each" in request.settings:
        return _step_by_step(request)
    least = re.search(r"least|slowest|shrank|fell|drop", request.text)
    return over_time(request, Growth, {"order": "least" if least else "most"})


def _step_by_step(request: MethodRequest) -> Arguments | Unread:
    """`month over month`: amounts are summed up in each month, of levels the last one counts."""
    unit = _EVERY.get(request.settings["each"].casefold(), "")
    made = over_time(request, Growth, {"stepwise": True, "every": unit})
    if not unit or isinstance(made, Unread):
        return made
    column = request.of(made.fields[0])
    whole = column.type == "integer"
    ends = (column.minimum, column.maximum)
    additive = additive_of(column.name, column.unit, *ends, whole=whole) == "all"
    return made.model_copy(update={"how": "sum"}) if additive else made


_EACH = r"(?:year|month|week|day|quarter|period)"


CUE = Cue(
    read=_read,
    words=r"(?:overall |average |annual |yearly |total |compound )*growth(?: rates?)?|cagr|"
        r"(?:percent(?:age)?|relative|%) (?:changes?|growth|increases?|decreases?)|returns?(?= of)|"
        r"volatil\w+|(?:grow|grew|grown|increased?|rose|risen|gained|lost|dropped|fell|fallen|"
        r"shrank|declined?|changed?)(?= .*\b"
        r"(?:percent|%|fast|overall))|by (?:what|how many) (?:percent(?:age)?|%)(?: points)?",
    hint=rf"(?:{_EACH}[- ](?:over|on|to|by)[- ]{_EACH}).*\b(?:changes?|growth)|how (?:fast|much|"
        rf"quickly) "
        r"(?:did|has|have|does) .*(?:grow|grew|grown|increase|rise|risen|gain|gained|lost|dropped|"
        r"fall|fallen|change)|"
        r"\b(?:grew|grown|grow|increased|rose) (?:the )?(?:most|least|fastest|slowest)",
    noun=r"growth rates?|cagr",
    includes=words("summary_statistics chart trend"),
    settings=(
        setting("start", r"\bsince the (?:start|beginning) of\b", leave="since"),
        setting("every", r"\b(?P<value>daily|weekly|monthly|quarterly|yearly|annual) "
                r"(?:percent(?:age)? )?(?:returns?|changes?)\b", leave="growth rate"),
        setting("each", rf"(?:\bfrom )?\b(?P<value>{_EACH})[- ](?:over|on|to|by)[- ]{_EACH}\b(?: "
                        rf"percent(?:age)?)?",
                leave="growth rate"),
        setting("each", r"\b(?:standard deviations? )?(?:of )?(?:its |the )?(?:percent(?:age)? "
                        r"changes"
                r"|returns)\b", leave="growth rate", only=r"volatil|deviation"),
    ),
    around=AROUND_TIME | words("""risen gained lost dropped grow increase
                           increased rose rise volatile volatility standard
                           deviation returns please fell change compound in terms"""),
    timed=True,
    most_groups=300,
)  # fmt: skip
