"""What asks for outliers, and how the text is read."""

from __future__ import annotations

from flows.analysis.methods.arguments import MOST_GROUPS, Arguments, plots
from flows.analysis.methods.measures import of_numbers
from flows.analysis.methods.method import Cue, MethodRequest, setting, words
from flows.analysis.methods.outliers.arguments import Outliers
from flows.analysis.reading.reader import Unread


def _read(request: MethodRequest) -> Arguments | Unread:
    # `which countries are outliers`: the rows' name is what is asked for, and is no group
    numbers = [c for c in request.columns if plots(c)]
    names = [c for c in request.columns if not plots(c) and c.distinct > MOST_GROUPS]
    if numbers and len(numbers) + len(names) == len(request.columns):
        request.columns = numbers
    return of_numbers(request, Outliers, {"variant": request.settings.get("method", "iqr")})


_FAR = r"outl|anomal|unusual|extreme|suspicious|abnormal|odd|from the mean"


_SIGMA = r"(?:3|three) (?:sigmas?|standard deviations?|stds?|SDs?)"


CUE = Cue(
    read=_read,
    words=r"(?:check for |find |detect |any )*(?:outliers?|outlying|anomal(?:y|ies|ous(?: "
        r"values?)?)|"
        r"extreme values?|abnormal(?:ly \w+)?(?: values?)?)|(?:suspicious|unusual)(?:ly)?(?: "
        r"(?:high|"
        r"low|large|small)(?: or (?:high|low|large|small))?)?(?: values?)?",
    hint=rf"(?:more than |over )?{_SIGMA} (?:away )?(?:from|off) the (?:mean|average)",
    noun=r"outliers?|anomal(?:y|ies)",
    settings=(
        setting("method", r"(?:,? *(?:by|using|with|via|based on) )?(?:the |a )?(?:\bz[- "
                          r"]?scores?\b"
                rf"(?: method| rule)?|(?:lie |are |is |fall )?(?:more than |over )?{_SIGMA}(?: "
                rf"away)?"
                r"(?: (?:from|off) the (?:mean|average))?|3[- ]sigma(?: "
                r"rule)?)", "zscore", only=_FAR
                + r"|z[- ]?score"),
        setting("method", r"(?:,? *(?:by|using|with|via|based on) )?(?:the )?(?:\biqr\b|\binter-?"
                r"quartile range\b|\btukey(?:['\u2019]s)?\b)(?: (?:method|rule|fences?))?", "iqr"),
        setting("check", r"\bcheck (?=for)"),
    ),
    around=words("outlier outliers suspiciously large small values which most how many any"),
)  # fmt: skip
