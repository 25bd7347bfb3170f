"""What asks for what matters most for a column, and how the text is read."""

from __future__ import annotations

from flows.analysis.methods.arguments import Arguments
from flows.analysis.methods.feature_importance.arguments import FeatureImportance
from flows.analysis.methods.method import Cue, MethodRequest, words
from flows.analysis.methods.regression.cue import read_regression
from flows.analysis.methods.supervised import EXPLAINING, explaining, with_classes
from flows.analysis.reading.reader import Unread


def _read(request: MethodRequest) -> Arguments | Unread:
    named = [c for c in request.columns if c.name != request.target]
    if len(named) == 1 and not request.group and not request.says("importan|feature"):
        # `does A affect B`: one column has no order of importance, but a coefficient
        single = read_regression(request)
        if not isinstance(single, Unread):
            return single
    found = with_classes(request, explaining(request))
    return found if isinstance(found, Unread) else request.make(FeatureImportance, dict(found))


_THINGS = r"(?:features?|variables?|columns?|factors?|predictors?|attributes?|measurements?)"


CUE = Cue(
    read=_read,
    words=rf"(?:(?:feature|variable|column) )?importances?|(?:most )?important {_THINGS}|"
        r"(?:most )?important(?= (?:for|to|in|when)\b)|(?:key |main |biggest |strongest )?drivers?"
        r"(?= of)|(?:best |most )?(?:influences?|drives?|affects?|determines?|predictive(?: of)?)|"
        rf"best predictors?|best predicts?|predicts? best|{_THINGS} (?:matters?|counts?)(?: "
        rf"(?:the )?"
        r"most)?|matters? (?:the )?most|contributes? (?:the )?most(?: to)?",
    noun=r"feature importances?",
    includes=words("regression correlation"),
    around=EXPLAINING | words("important importance for predicting matter matters telling tell "
                               "apart main key driver drivers contribute"),
    explains=True,
)  # fmt: skip
