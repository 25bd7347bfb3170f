"""What asks for the time until an event, and how the text is read."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.language.words import root, split_identifier
from flows.analysis.methods.arguments import groups, plots
from flows.analysis.methods.method import Cue, MethodRequest, setting, words
from flows.analysis.methods.survival.arguments import Survival, happened_in
from flows.analysis.reading.draft import is_time
from flows.analysis.reading.reader import Unread
from flows.data.tables import Column

# Words in the name of a column that holds how long something took.
_LASTING = words(
    """day week month quarter year hour minute second tenure duration lifetime lifespan time
    survival length lasted until"""
)
# Words in the name of a column that says whether something happened.
_EVENTS = frozenset(
    root(each)
    for each in words(
        """event status churned cancelled canceled died dead death failed failure censored converted
        relapsed left exited closed ended stopped defaulted terminated quit resigned recurred
        attrition happened observed"""
    )
)


def _read(request: MethodRequest) -> Survival | Unread:
    duration = _duration(request)
    if isinstance(duration, Unread):
        return duration
    given = {"fields": (duration,), "group": _group(request, duration)}
    event = _event(request, duration, str(given["group"]))
    if isinstance(event, Unread):
        return event
    if event is None:
        request.draft.note("every row is taken for one in which it happened")
        return request.make(Survival, given)
    request.draft.note(f"it happened where {event.name} is {happened_in(event)}")
    return request.make(Survival, {**given, "event": event.name, "happened": happened_in(event)})


def _duration(request: MethodRequest) -> str | Unread:
    """The column that says how long it took: one that is named, else the one called so."""
    named = [c for c in request.columns if _lasts(c) or (plots(c) and happened_in(c) is None)]
    called = [c for c in request.table.columns if _lasts(c)]
    found = [c for c in named if _lasts(c)] or named or called
    if len(found) == 1:
        return found[0].name
    if not found:
        return Unread(f"{request.table.name} has no column that says how long it took")
    several = " or ".join(c.name for c in found)
    return Unread(f"it does not say which column is the time until it happened: {several}")


def _lasts(column: Column) -> bool:
    """Whether the name of a column of numbers says that it holds how long something took."""
    said = _LASTING & set(split_identifier(column.name))
    return bool(said) and plots(column) and not is_time(column) and happened_in(column) is None


def _group(request: MethodRequest, duration: str) -> str:
    """The group that is named; else the one other column that makes groups."""
    if request.group:
        return request.group
    texts = [c for c in request.columns if c.name != duration and groups(c) and not _says(c)]
    return texts[0].name if len(texts) == 1 else ""


def _says(column: Column) -> bool:
    """Whether a column says of each row whether something happened."""
    return happened_in(column) is not None


def _event(request: MethodRequest, duration: str, group: str) -> Column | Unread | None:
    """The column that says whether it happened: one that is named, else the one called so, else
    the only one of its kind; None where the table has none."""
    used = (duration, group)
    named = [c for c in request.columns if _says(c) and c.name not in used]
    all_of = [c for c in request.table.columns if _says(c) and c.name not in used]
    called = [c for c in all_of if {root(w) for w in split_identifier(c.name)} & _EVENTS]
    found: Sequence[Column] = named or called or [c for c in all_of if c.distinct == 2]
    if len(found) < 2:
        return found[0] if found else None
    several = " or ".join(c.name for c in found)
    return Unread(f"it does not say which column tells whether it happened: {several}")


_CURVE = r"(?:curves?|functions?|plots?|charts?|analys[ei]s|estimates?|probabilit(?:y|ies)|times?)"
_VERBS = (
    r"(?:cancel\w*|churn\w*|leave|leaves|left|die|dies|died|fail\w*|break\w*|relapse\w*|quit\w*)"
)
CUE = Cue(
    read=_read,
    words=(
        rf"(?:median |mean )?survival {_CURVE}(?: (?:until|before))?|"
        rf"kaplan[- ]?meier(?: {_CURVE})?|"
        r"median survival|log[- ]?rank(?: tests?)?|time[- ]to[- ]event(?: analysis)?|"
        rf"(?:retention|churn) curves?|how long (?:does it take )?(?:until|before|till)(?: {_VERBS}"
        r"(?= ))?|time (?:until|before|till)(?= )"
    ),
    hint=r"how long .*\b(?:until|before|till)\b",
    noun=r"survival curves?|kaplan[- ]?meier|log[- ]?rank",
    includes=words("chart hypothesis_test summary_statistics distribution"),
    settings=(
        setting("who", rf"(?<=until )(?:the |our |my |an? )?\w+ {_VERBS}(?=\W*$|,| by\b| per\b| "
                r"for\b| in\b)", leave="until"),
    ),
    around=words(
        """how long until before till take takes it survival survive survives curve curves median
        time times event analysis kaplan meier log rank logrank differ differs difference
        differences between do does is
        they them happen happens retention churn estimate function last lasts stay stays probability
        whether significantly has have been"""
    ),
)  # fmt: skip
