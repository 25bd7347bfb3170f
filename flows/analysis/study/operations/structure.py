"""Groups and directions in the data itself: clusters, principal components."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.reading.read import Unread
from flows.analysis.study.about import about, names, text
from flows.analysis.study.operation import (
    MOST_COLUMNS,
    Call,
    Operation,
    Request,
    Row,
    no_numbers,
    numbers_in,
    setting,
    words,
)
from flows.analysis.study.plan import Study
from flows.analysis.telling.wording import in_words


def _of_measures(request: Request, kind: str, least: int, number: int = 0) -> Study | Unread:
    columns = list(request.columns)
    if request.group:
        columns.append(request.of(request.group))
    if wrong := no_numbers(columns, kind):
        return wrong
    named = tuple(c.name for c in columns) or request.measures
    if len(named) < least:
        table = request.draft.schema.table.name
        return Unread(
            f"{kind} needs {least} columns of numbers, and {table} has {len(named)} to use"
        )
    return request.study(kind, named[:MOST_COLUMNS], number=number)


_NUMBERS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
            "ten": 10, "twelve": 12}  # fmt: skip


def _read_clusters(request: Request) -> Study | Unread:
    said = request.settings.get("number", "")
    number = _NUMBERS.get(said.casefold()) or int(said or 0)
    rows = request.draft.schema.table.rows
    if number and not 2 <= number <= min(50, rows // 2):
        return Unread(f"{number} clusters of {rows} rows tell nothing; from 2 to "
                      f"{min(50, rows // 2)} can be made")  # fmt: skip
    return _of_measures(request, "clusters", 1, number)


def _cluster_calls(study: Study, title: str) -> list[Call]:
    return [Call("result", "cluster", (list(study.columns), study.number, title))]


def _say_clusters(study: Study, rows: Sequence[Row], total: int) -> str:
    shown = list(study.columns[:4])
    said = []
    for row in rows[:8]:
        middle = ", ".join(f"{names([name])} {text(row, name)}" for name in shown)
        said.append(f"cluster {text(row, 'cluster')} with {text(row, 'rows')} rows (mean {middle})")
    chosen = "" if study.number else ", the number with the best silhouette from two to ten"
    return (
        f"K-means over {in_words(len(study.columns))} standardised columns{about(study)} makes "
        f"{in_words(total)} "
        f"clusters{chosen} (silhouette {text(rows[0], 'silhouette')}): {'; '.join(said)}."
    )


_K = r"(?P<value>\d{1,4}|two|three|four|five|six|seven|eight|nine|ten|twelve)"
_KINDS = r"(?:clusters|groups|segments|classes|types|clumps)"
CLUSTERS = Operation(
    kind="clusters",
    read=_read_clusters,
    calls=_cluster_calls,
    say=_say_clusters,
    needs=("cluster", "rows", "silhouette"),
    words=(
        r"k[- ]?means(?: clustering)?|(?:natural |similar )*clusters?(?: analysis)?|clustering|"
        rf"clustered|segment(?:s|ed|ation)?|(?:similar|natural) {_KINDS}"
    ),
    cue=rf"(?:group|split|divide|sort|partition)\b.* into (?:\d+|two|three|four|five|six) {_KINDS}",
    noun=r"k[- ]?means|cluster(?:s|ing)?",
    includes=words("chart components"),
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


def _read_components(request: Request) -> Study | Unread:
    return _of_measures(request, "components", 2)


def _component_calls(study: Study, _title: str) -> list[Call]:
    share = next(iter(numbers_in(study.setting("share"))), 90.0)
    return [Call("result", "components", (list(study.columns), share))]


def _say_components(study: Study, rows: Sequence[Row], total: int) -> str:
    said = [
        f"{text(row, 'explained')} % (most weight: {text(row, 'heaviest')})" for row in rows[:3]
    ]
    two = rows[min(1, len(rows) - 1)]
    return (
        f"The first principal components of {in_words(len(study.columns))} standardised columns"
        f"{about(study)} explain {'; '.join(said)} of the variance. The first "
        f"{text(two, 'component')} hold {text(two, 'cumulative')} % together; for "
        f"{text(two, 'wanted')} % it "
        f"takes {text(rows[0], 'needed')} of {in_words(total)}."
    )


COMPONENTS = Operation(
    kind="components",
    read=_read_components,
    calls=_component_calls,
    say=_say_components,
    needs=("component", "explained", "cumulative", "needed", "heaviest"),
    words=(
        r"(?:(?:run|do|perform|make) )?(?:a |the )?(?:pca|principal components?(?: analysis)?)|"
        r"dimensionality reduction|reduce the dimensions?|(?:first|second|third|top) components?"
    ),
    noun=r"pca|principal components?",
    includes=words("summary chart"),
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
