"""What asks for k-means clusters, and how the text is read."""

from __future__ import annotations

from flows.analysis.language.words import COUNTS
from flows.analysis.methods.arguments import Arguments
from flows.analysis.methods.clustering.arguments import Clustering
from flows.analysis.methods.measures import of_measures
from flows.analysis.methods.method import Cue, MethodRequest, setting, words
from flows.analysis.reading.reader import Unread


def _read(request: MethodRequest) -> Arguments | Unread:
    said = request.settings.get("number", "")
    number = COUNTS.get(said.casefold()) or int(said or 0)
    return of_measures(request, Clustering, 1, {"number": number})


_K = rf"(?P<value>\d{{1,4}}|{'|'.join(COUNTS)})"


_KINDS = r"(?:clusters|groups|segments|classes|types|clumps)"


CUE = Cue(
    read=_read,
    words=r"k[- ]?means(?: clustering)?|(?:natural |similar )*clusters?(?: analysis)?|clustering|"
        rf"clustered|segment(?:s|ed|ation)?|(?:similar|natural) {_KINDS}",
    hint=rf"(?:group|split|divide|sort|partition)\b.* into (?:\d+|two|three|four|five|six) "
        rf"{_KINDS}",
    noun=r"k[- ]?means|cluster(?:s|ing)?",
    includes=words("chart principal_components"),
    settings=(
        setting("number", rf"(?:,? *\b(?:in|into|with|using|as) )?(?:exactly |about )?{_K} "
                          rf"(?:natural |"
                rf"similar |different |distinct )*{_KINDS}\b"),
        setting("number", rf"(?:,? *\b(?:with|using) )?\bk ?(?:=|of|is)? ?{_K}\b"),
        setting("things", r"\b(?:cluster|segment|group|split|divide|partition)(?: up)?(?: (?:the|"
                          r"all|"
                r"these|my|our))* (?:rows|\w+s)(?=\W*$| (?:in|into|by|using|based|with|on)\b)",
                leave="cluster"),
        setting("many", r"\bhow many(?= )"),
    ),
    around=words("group groups cluster clusters natural similar segment segments into in there "
                 "using based on data k"),
)  # fmt: skip
