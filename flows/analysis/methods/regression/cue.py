"""What asks for linear and logistic regressions, and how the text is read."""

from __future__ import annotations

import re

from flows.analysis.methods.arguments import plots
from flows.analysis.methods.method import Cue, MethodRequest, setting, words
from flows.analysis.methods.regression.arguments import Regression
from flows.analysis.methods.supervised import EXPLAINING, explaining
from flows.analysis.reading.draft import is_time
from flows.analysis.reading.reader import Unread
from flows.core.observation import Cell
from flows.semantics.query import Comparison, Constant, FieldRef, Predicate


def read_regression(request: MethodRequest) -> Regression | Unread:
    """A target, and what explains it or the values at which it is to be predicted."""
    at = _take_values(request) if _predicts(request) else {}
    if request.target in at:
        return Unread(f"{request.target} is both to be predicted and given")
    found = explaining(request, tuple(at))
    if isinstance(found, Unread):
        return found
    logistic = request.settings.get("method") == "logistic"
    two = found.classes and request.of(found.target).distinct == 2
    variant = "logistic" if logistic or two else "linear"
    given = {**dict(found), "classes": logistic or found.classes}
    return request.make(Regression, {**given, "variant": variant, "at": tuple(at.items())})


def _predicts(request: MethodRequest) -> bool:
    return bool(re.search(r"predict|expect|estimate|would|will|how likely|probability|chance|what",
                          request.text, re.IGNORECASE))  # fmt: skip


def _take_values(request: MethodRequest) -> dict[str, Cell]:
    """`for a total bill of 40`: the values at which something is predicted, which are no filters;
    a time chooses rows."""
    at: dict[str, Cell] = {}
    kept: list[Predicate] = []
    for test in request.tests:
        match test:
            case Comparison(
                left=FieldRef(field=name),
                operator="=",
                right=Constant(value=int() | float() as value),
            ) if plots(request.of(name)) and not is_time(request.of(name)):
                at[name] = value
            case _:
                kept.append(test)
    request.tests = kept
    return at


CUE = Cue(
    read=read_regression,
    words=r"(?:(?:multiple|simple|multivariate|ordinary|logistic|ols|a|the|fit|use|run) )*"
        r"(?:linear |"
        r"least[- ]squares )?regress(?:ions?|ed|ing)?(?: (?:model|line|analysis|coefficients?))?|"
        r"linear (?:model|fit)|least squares(?: fit)?|ols|logit|"
        r"(?:fit|draw) a (?:straight )?line|predict(?:s|ed|ing)?|prediction|r[- ]squared|"
        r"how likely (?:is|are)(?: (?:a|an|the))? \w+ to be(?: a| an)?|"
        r"(?:would|should|do|can) (?:you|we|i|one) expect",
    hint=r"(?:estimate|expect)(?:ed)? .*(?:when|for|with|if|at)\b.*\d|explained by|would .* be "
        r"(?:for|with|if|when|at)\b",
    noun=r"regressions?|regress",
    includes=words("correlation summary_statistics chart"),
    settings=(
        setting("method", r"\blogistic\b(?= regression| model)|\blogit\b", "logistic",
                leave="regression"),
        setting("r2", r"\(?\br[- ]?(?:squared|2|²)\b\)?"),
        # A comma keeps `tip for a total bill` from being linked as one name.
        setting("given", r"\b(?:for|with|given|when|if|at|where)(?: (?:a|an|"
                         r"the))?\b(?=(?:(?!\b(?:for|with|"
                r"given|when|if|at)\b).)*\d)", leave=", where",
                only=r"predict|expect|estimate|would|likely|probab|what|give"),
        setting("unit", r"\bhow does\b.*?\b(?:change|rise|move) (?:when|if|as)\b.*?(?:[.?!]|$)",
                only=r"(?<=[.?!] )\w+"),
        setting("ask", r",? *\b(?:which|what) coefficients are significant\??"),
        setting("scope", r"\b(?:on|by|from|using|with|against) (?:all|every)(?: of)?(?: the| its)? "
                r"(?:others?|remaining|rest)(?: (?:variables|columns|features|ones|predictors))?"),
    ),
    around=EXPLAINING | words(
        """variance explain coefficients significant much line straight linear likely customer
        probability when if dollar dollars use model would relationship bill goes expects you"""
    ) - words("bill customer"),
    explains=True,
    otherwise="predictive_model",
)  # fmt: skip
