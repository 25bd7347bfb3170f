"""What asks for principal components, and how the text is read."""

from __future__ import annotations

from flows.analysis.methods.arguments import Arguments
from flows.analysis.methods.measures import of_measures
from flows.analysis.methods.method import Cue, MethodRequest, numbers_in, setting, words
from flows.analysis.methods.principal_components.arguments import PrincipalComponents
from flows.analysis.reading.reader import Unread


def _read(request: MethodRequest) -> Arguments | Unread:
    said = numbers_in(request.settings.get("share", ""))
    return of_measures(request, PrincipalComponents, 2, {"share": said[0]} if said else {})


CUE = Cue(
    read=_read,
    words=r"(?:(?:run|do|perform|make) )?(?:a |the )?(?:pca|principal components?(?: analysis)?)|"
        r"dimensionality reduction|reduce the dimensions?|(?:first|second|third|top) components?",
    noun=r"pca|principal components?",
    includes=words("summary_statistics chart"),
    settings=(
        setting("share", r"\b(?P<value>\d{1,2}(?:\.\d+)?) ?(?:%|percent)(?: of)?(?: the)?(?: "
                         r"(?:variance|"
                r"variation|information))?"),
        setting("reduce", r"\b(?:reduce|compress)(?: (?:the|this|my))? (?:data|dataset|"
                          r"dimensions?|columns)"
                r"(?: (?:in)?to)?(?: (?:\d+|two|three))?(?: dimensions)?(?= |\W*$)"),
        setting("first", r"\b(?:the )?first (?:two|three|four|2|3|4|few)\b"),
    ),
    around=words("""how much many variance variation explain explained explains components
                 component need keep principal first pca information do i"""),
)  # fmt: skip
