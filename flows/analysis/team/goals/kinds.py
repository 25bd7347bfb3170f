"""What kind of answer a business question wants, by its words."""

from __future__ import annotations

import re
from typing import Final, Literal, get_args

from flows.analysis.language.phrasebook import EXTREMES
from flows.analysis.methods.findings import Purpose

Kind = Purpose
KINDS: Final = get_args(Kind)

_UNIT = r"(?:day|week|month|quarter|year|decade|season|period)"
_BEST = r"(?:best|worst|strongest|weakest|top|leading|better|worse|ahead|behind)"
_GROWS = (
    r"(?:grow\w*|grew|risen|rising|rise|rose|declin\w+|fallen|falling|fell|shrink\w*|shrank|"
    r"dropp\w+|increas(?:ed|ing)|decreas(?:ed|ing)|improv(?:ed|ing)|worsen\w*|deteriorat\w+|"
    r"chang(?:ed|ing)|develop\w*|evolv\w+|evolution)"
)
_ACT = (
    r"(?:improv\w+|increas\w+|reduc\w+|decreas\w+|lower|raise|boost|optimi[sz]e|maximi[sz]e|"
    r"minimi[sz]e|cut|grow|rais\w+|shorten|speed up|save|avoid|prevent|strengthen|enhance|fix|"
    r"get (?:more|higher|lower|better|fewer|less|bigger|larger|smaller|faster|cheaper))"
)
_FORETOLD = (
    r"\bhow (?:well|accurately|reliably|precisely|exactly|good|far)\b.*"
    r"\b(?:predict|explain|estimat)\w*|"
    r"\b(?:can|could)\b.*\bbe (?:\w+ )?(?:predicted|explained|estimated)\b"
)
_CHOOSES = (
    r"\b(?:which|what)\b.*\b(?:should|shall|ought)\b.*\b(?:close|shut|keep|drop|stop|promote|"
    r"invest|expand|focus|prefer|choose|pick|select|avoid|sell|buy|worry|concentrate|prioriti[sz]e|"
    r"look|care|watch|attention|target)\b"
)
# In the order in which they are tried; the first that is found stands.
_PATTERNS: Final[tuple[tuple[Kind, str], ...]] = (
    (
        "forecast",
        rf"\bforecast\w*|\bproject(?:ion|ions|ed)\b|\boutlook\b|\bin (?:the )?future\b|"
        rf"\b(?:next|coming|upcoming|following) (?:\w+ )?{_UNIT}s?\b|"
        rf"\bpredict\w*\b.*\b(?:{_UNIT}s?|20\d\d)\b|\b(?:what|how \w+|where) will\b.*\bbe\b|"
        r"\bwill\b.*\b(?:keep|continue|go on)\b|\bexpect\w*\b.*\b(?:20\d\d|ahead)\b",
    ),
    (
        "segments",
        r"\bsegment(?:ation|ing)\b|\bsegment\b(?=.*\binto\b)|\bcluster\w*|\bnatural groups?\b|"
        r"\b(?:are there|find|identify|discover|what|which|any|natural|form)\b.*\bsegments\b"
        r"(?! (?:has|have|is|are|perform|sell|buy|with|of the)\b)|\bsegment (?:the|our|my|all)\b|"
        r"\bgroups? of (?:similar|alike)\b|\btypical (?:groups|kinds|profiles|types)\b|"
        r"\bwhat (?:kinds?|types?|sorts?) of \w+ (?:are there|do we have|exist)\b|"
        r"\b(?:group|split|divide)\b.*\binto (?:\w+ )?(?:groups|clusters|segments)\b",
    ),
    (
        "anomalies",
        r"\banomal\w+|\boutlier\w*|\bunusual\w*|\bodd(?:ities|ity)?\b|\bstrange\b|\bsuspicious\w*|"
        r"\babnormal\w*|\bextreme (?:values?|cases?)\b|\bsomething wrong\b|\birregular\w*",
    ),
    (
        "overview",
        r"\boverview\b|\bwhat (?:should|do|can|must) (?:i|we|you) (?:know|learn|see|tell|find)\b|"
        r"\btell me (?:more )?about\b|\bsummari[sz]e\b|\bsummary of\b|\bdescribe\b|"
        r"\bwhat (?:is|are) (?:interesting|important|notable|remarkable)\b|\bexplore\b|"
        r"\bkey (?:facts|findings|figures|insights|takeaways)\b|\bget to know\b|"
        r"\bwhat(?:'s| is) (?:in|going on (?:in|with)) (?:this|the|my|our)\b|"
        r"\b(?:analy[sz]e|report on|insights? (?:on|about|into|from))\b(?!.*\b(?:affect|driv|why|"
        r"trend|relationship|correlat))|\bhow (?:is|are) (?:the |our |my )?\w+ (?:doing|going)\b|"
        r"\b(?:give|show|get|any|have|find)\b.*\binsights?\b|"
        r"\bwhat does (?:this|the|my|our) data\b|\bdashboard\b",
    ),
    (
        "drivers",
        rf"\b(?:how|what|which)\b.*\b(?:can|could|do|should|to|must|may|might|would)\b.*\b{_ACT}\b|"
        rf"{_FORETOLD}|"
        rf"\b(?:ways?|ideas?|levers?|recommend\w*|advice|suggest\w*)\b.*\b{_ACT}\b|"
        r"\bhow (?:can|could|should|might) (?:i|we|you|one)\b|"
        rf"^\W*(?:please )?(?:help (?:me|us) (?:to )?)?{_ACT}\b|\bwhy\b|"
        r"\bdriv(?:e|es|en|er|ers|ing)\b|\breasons?\b|\bcauses?\b|\bcaused\b|\bresponsible for\b|"
        r"\bwhat (?:is|lies|are|lie) behind\b|\b(?:factors?|variables?|features?|levers?|things) "
        r"(?:\w+ )*(?:matters?|counts?|influenc\w+|affect\w*|determin\w+|explain\w*|impact\w*)\b|"
        r"\b(?:what|which\b.*?)\b.*\b(?:matters?|counts?|important|decisive|relevant)\b.*"
        r"\b(?:for|to|in)\b|\bwhat (?:\w+ )?(?:affects?|influences?|determines?|explains?|impacts?|"
        r"makes?|leads? to|contributes? (?:most )?to|shapes?|predicts?)\b|"
        r"\bwhat (?:does|do|did) .* depend on\b|\bwhat (?:can|could) (?:i|we|you) do\b|"
        r"\bkey (?:influences|factors|levers)\b|\bmost important (?:for|to|factors?)\b|"
        r"\broot cause\b",
    ),
    (
        "effect",
        r"\baffect\w*|\binfluenc\w+|\bimpact\w*|\beffects?\b|\bdepend\w*|\brelationships?\b|"
        r"\brelat(?:e|es|ed|ion)\b|\bcorrelat\w+|\bassociat\w+|\blink(?:s|ed)?\b|\bconnect\w+|"
        r"\bdetermin\w+|\bexplain\w*|\bpredict\w*|\bgo(?:es)? (?:hand in hand|together)\b|"
        r"\bplays? a role\b|\bbecause of\b|\bdue to\b|\bleads? to\b|\bcontribut\w+|\bmatters?\b",
    ),
    (
        "difference",
        r"\bdiffer\w*|\bsignificant\w*|\bt-?test\b|\banova\b|\bthe same (?:as|for|in|across)\b|"
        r"\bvar(?:y|ies) (?:by|between|across|with)\b|\bgap between\b|\bdistinguish\w*|"
        r"\bsets?\b.*\bapart\b|\b(?:stands?|sticks?) out\b|\b(?:special|particular|peculiar) "
        r"(?:about|in|to)\b",
    ),
    (
        "ranking",
        rf"\bcompar\w+|\bversus\b|\bvs\b|\brank\w*|\bperform\w*|\bwhich\b.*\b{_BEST}\b|"
        rf"\b(?:what|who)\b.*\b{_BEST}\b|\bbenchmark\w*|\bbest[- ]performing\b|"
        r"\b(?:more|less|higher|lower|larger|smaller) than (?:the )?(?:others?|rest|average)\b|"
        r"\b(?:which|who|what)\b.*\b(?:highest|lowest|most|least|largest|smallest|biggest|greatest|"
        rf"fewest)\b|{_CHOOSES}",
    ),
    (
        "trend",
        rf"\btrends?\b|\bover (?:the )?(?:time|years|months|weeks|days|course)\b|\b{_GROWS}\b|"
        rf"\bhistory of\b|\bfrom {_UNIT} to {_UNIT}\b|\b{_UNIT}[- ](?:over|on|by)[- ]{_UNIT}\b|"
        r"\bseasonal\w*|\bgrowth\b|\bgetting (?:better|worse|more|less|higher|lower)\b|"
        r"\btime series\b",
    ),
    (
        "distribution",
        r"\bdistribut\w+|\bspread\b|\bhistograms?\b|\bskew\w*|"
        r"\bhow (?:much|widely) .*\bvar(?:y|ies)\b|\bvariab\w+|\bdispers\w+|\btypical\b",
    ),
)
_COMPILED: Final = tuple((kind, re.compile(text, re.IGNORECASE)) for kind, text in _PATTERNS)
# How far ahead a forecast is to look; no rows are chosen by it.
AHEAD: Final = re.compile(
    r"\b(?:in |for |over |during )?(?:the )?(?:next|coming|upcoming|following) "
    r"(?:(?P<many>\d+|two|three|four|five|six|ten|twelve) )?"
    r"(?P<unit>day|week|month|quarter|year)s?\b",
    re.IGNORECASE,
)
_REASON: Final = re.compile(r"\bwhy\b|\breasons?\b|\bcauses?\b|\bwhat (?:is|lies) behind\b", re.I)
_PREDICTS: Final = re.compile(_FORETOLD, re.IGNORECASE)
_HAS_GONE = (
    r"\b(?:did|has|have|had|is|are|was|were|do|does)\b.*\b(?:fall|drop|dip|sink|decrease|increase|"
    r"grow|shrink|jump|climb|(?:go|goes|gone|going|come|came|went) (?:up|down)|better|worse)\b|"
    r"\bwent (?:up|down)\b"
)
_CHANGED: Final = re.compile(
    rf"\b{_GROWS}\b|\bsince\b|\btrends?\b|\bover time\b|{_HAS_GONE}", re.IGNORECASE
)
_RANKS: Final = re.compile(
    rf"\bcompar\w+|\bversus\b|\bvs\b|\brank\w*|\bperform\w*|\bbenchmark\w*|"
    rf"\b(?:which|who|what)\b.*\b{_BEST}\b|{_CHOOSES}",
    re.IGNORECASE,
)
_AGAINST: Final = re.compile(r"\b(?:vs|versus|against)\b", re.IGNORECASE)
_LITTLE = r"(?:short|small|low|young|few|cheap|slow|light|weak|near|early|new|poor|cold)"
_MUCH = r"(?:long|large|big|high|old|many|expensive|fast|heavy|strong|far|late|rich|hot|warm)"
_SAME: Final = re.compile(
    rf"\b(?:same|differ\w*|equal\w*|stronger|weaker|more|less)\b.*\b(?:{_LITTLE}\w*\b.*\b{_MUCH}|"
    rf"{_MUCH}\w*\b.*\b{_LITTLE})\w*\b",
    re.IGNORECASE,
)
_TURNED: Final = re.compile(
    r"\b(?:loss|gain|rise|fall|drop|increase|decrease|change) (?:of|in)\b.*\bper\b|"
    r"\b(?:affected|influenced|driven|determined|explained|impacted|caused|predicted) by\b|"
    r"\bdepend\w* (?:up)?on\b|\bdue to\b|\bbecause of\b",
    re.IGNORECASE,
)


_LOW, _HIGH = (re.compile(rf"\b(?:{EXTREMES.pattern(each)})\b", re.I) for each in (False, True))
End = Literal["high", "low", ""]


def end_of(text: str) -> End:
    """Which end of an order a question asks for."""
    low, high = _LOW.search(text), _HIGH.search(text)
    if low and (not high or low.start() < high.start()):
        return "low"
    return "high" if high else ""


def kinds_of(text: str) -> tuple[Kind, ...]:
    """The kinds that the words of a question speak for, the likeliest first; the last is always
    that of a question which one query answers."""
    found = tuple(kind for kind, pattern in _COMPILED if pattern.search(text))
    return (*found, "question")


def asks_why(text: str) -> bool:
    """Whether a question wants reasons beside what it asks."""
    return bool(_REASON.search(text))


def asks_same(text: str) -> bool:
    """Whether a question sets an effect on what is small beside that on what is large."""
    return bool(_SAME.search(text))


def asks_how_well(text: str) -> bool:
    """Whether a question wants to know how well something can be predicted."""
    return bool(_PREDICTS.search(text))


def sets_against(text: str) -> bool:
    """Whether a question sets one figure against another."""
    return bool(_AGAINST.search(text))


def ranks(text: str) -> bool:
    """Whether a question wants groups beside each other, and not only the first of them."""
    return bool(_RANKS.search(text))


def asks_change(text: str) -> bool:
    """Whether a question speaks of a change in time."""
    return bool(_CHANGED.search(text))


def names_target_first(text: str) -> bool:
    """Whether what is affected is named before what affects it: `is A affected by B`."""
    return bool(_TURNED.search(text))
