"""What asks for correlations, and how the text is read."""

from __future__ import annotations

import re

from flows.analysis.methods.arguments import MOST_COLUMNS, plots
from flows.analysis.methods.correlation.arguments import Correlation
from flows.analysis.methods.method import Cue, MethodRequest, setting, words
from flows.analysis.reading.reader import Unread

_ORDERS = (
    (
        "lowest",
        r"(?:most|strongest|strongly|largest) (?:the )?(?:negativ\w+|inverse\w*)|negatively",
    ),
    ("highest", r"(?:most|strongest|strongly|largest) (?:the )?positiv\w+|positively"),
    ("weakest", r"weakest|weakly|weak|least|lowest|uncorrelated"),
)


def read_correlation(request: MethodRequest) -> Correlation | Unread:
    """A pair, one column with all others, or all pairs."""
    named = tuple(c.name for c in request.columns if c.name != request.group)
    if request.swapped and len(named) < 2:
        return Unread("it sets no two columns beside each other")
    order = next((o for o, p in _ORDERS if re.search(p, request.text, re.IGNORECASE)), "strongest")
    target = named[0] if len(named) == 1 else ""
    if target:
        named = (target, *(name for name in request.measures if name != target))
    fields = (named or request.measures)[:MOST_COLUMNS]
    unfit = [name for name in fields if not plots(request.of(name))]
    if len(fields) < 2 and not unfit:
        return Unread(f"{request.table.name} has no two columns of numbers to set beside each "
                      "other")  # fmt: skip
    variant = request.settings.get("method", "pearson")
    given = {"fields": fields, "target": target, "group": request.group}
    return request.make(Correlation, {**given, "variant": variant, "order": order})


CUE = Cue(
    read=read_correlation,
    words=r"(?:cross[- ]?)?correlat(?:ions?|ed?|es|ing)(?: (?:matrix|table|coefficients?|heat[- "
        r"]?map|"
        r"analysis))?|heat[- ]?map(?! of (?:the )?(?:average|mean|total|sum|number|count|median|"
        r"max|min))|(?:linear )?(?:relationships?|associations?|links?|dependenc\w+)"
        r"(?= (?:between|of|with|in|among|are)|\W*$)|(?:strongly |closely |tightly |well |most |"
        r"least |any "
        r")*(?:related|"
        r"associated|linked|connected)|relates? to|(?:goes? |going )?(?:hand in hand|together)(?: "
        r"with)?|"
        r"moves? together|(?:goes?|rises?|increases?|falls?|grows?) (?:up |down )?with(?= )|"
        r"co-?var(?:y|ies|iances?)|(?:how )?(?:closely |strongly )?(?:does |do )?"
        r"(?:track|move with)(?= \w)|kendall|spearman",
    hint=r"(?:analy[sz]e|examine|explore|investigate|study)\b(?=.* (?:vs\.?|versus|against) )|"
    r"how (?:closely|strongly) (?:does|do)\b.*\b(?:tracks?|follows?|moves?)",
    noun=r"correlations?|correlated|correlate",
    includes=words("scatter_plot chart"),
    settings=(
        setting("method", r"(?:\(|,? *(?:by|using|with) )?\bspearman(?:['\u2019]s)?(?: (?:rank|"
                          r"rho))?(?: "
                r"method)?\)?", "spearman"),
        setting("method", r"(?:\(|,? *(?:by|using|with) )?\bkendall(?:['\u2019]s)?(?: (?:rank|"
                          r"tau))?(?: "
                r"method)?\)?", "kendall", leave="correlation"),
        setting("method", r"\brank(?= correl)", "spearman"),
        setting("method", r"(?:\(|,? *(?:by|using|with) )?\bpearson(?:['\u2019]s)?(?: r| "
                          r"method)?\)?",
                "pearson"),
        # A person who wants a drawing beside may say so; the drawing comes in any case.
        setting("drawn", r",? *\b(?:as|with|in|and)(?: (?:show|draw|give))?(?: (?:me|it|them))?(?: "
                r"as)?(?: a| an| the)? (?:heat[- ]?map|png|picture|image|figure|graphic|scatter "
                r"plot|bar chart)\b"),
        setting("two", r"\b(?:which|what) (?:two|2|pairs?)(?: of)?(?: (?:the|these|our|my))* \w+?s?"
                r"(?= (?:are|is|move|go|correlate|show|have|has)\b)", leave="which"),
        setting("others", r"\b(?:with|and|to|against) (?:all |any |each )*(?:of )?(?:the )?"
                r"(?:others?|rest|everything else)(?: (?:columns|variables|features|ones))?\b"),
    ),
    around=words(
        """correlation correlations heatmap heat map matrix related relation relationship
        associated association significant significance statistically linear strongest weakest
        weakly weak least strong positively negatively positive negative inverse inversely rank
        ranked order sorted first sort any link hand go goes hang does do more bigger leave leaves
        run runs up also higher larger tend tends factor drawing wealth bigger smaller less
        together move moves moving stocks series track tracks statistic table"""
    ) - words("table"),
    otherwise="hypothesis_test",
)  # fmt: skip
