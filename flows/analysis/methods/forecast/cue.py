"""What asks for forecasts, and how the text is read."""

from __future__ import annotations

from flows.analysis.methods.arguments import Arguments
from flows.analysis.methods.forecast.arguments import Forecast
from flows.analysis.methods.method import Cue, MethodRequest, setting, words
from flows.analysis.methods.time_series import AROUND_TIME, MANY, STEPS, UNIT, over_time, steps_of
from flows.analysis.reading.reader import Unread

_MOST_STEPS = 500


def _read(request: MethodRequest) -> Arguments | Unread:
    steps, unit = steps_of(request.settings.get("steps", ""))
    if steps > _MOST_STEPS:
        return Unread(f"{steps} steps are too many for a forecast")
    until = int(request.settings.get("until", 0))
    return over_time(request, Forecast, {"steps": steps, "unit": unit, "until": until})


CUE = Cue(
    read=_read,
    words=r"forecast(?:s|ed|ing)?|extrapolate|project(?:ions?|ed)?(?= \w+| of)|prognos\w+",
    hint=(rf"predict\w*.*\b(?:next|coming|following) (?:{MANY} )?(?:{UNIT}|{STEPS})|"
        r"(?:what|how \w+) will .*\bbe\b|(?:next|coming) (?:year|month|week|"
        r"quarter)(?:['\u2019]s)?\b|"
        r"predict(?!.*\b(?:from|by|using|with|on)\b)\w*.*\bin 20\d\d\b(?=\W*$)"
    ),
    noun=r"forecasts?|forecasting",
    includes=words("regression chart trend growth"),
    settings=(
        setting("steps", rf"(?:,? *\b(?:for|over|of) )?(?:the )?\b(?P<value>(?:next|coming|"
                         rf"following) "
                rf"(?:{MANY} )?(?:{UNIT}|{STEPS}))\b"),
        setting("steps", rf"(?:,? *\b(?:for|over) )?\b(?P<value>{MANY} (?:more )?(?:"
                rf"{UNIT}|{STEPS}))(?: (?:ahead|out|into the "
                rf"future))?\b"),
        setting("until", r"\b(?:in|for|by|until|up to|to|through) (?:the year )?(?P<value>(?:19|"
                         r"20|21)"
                r"\d\d)\b"),
    ),
    around=AROUND_TIME | words("predict predicting prediction forecast project"),
    timed=True,
)  # fmt: skip
