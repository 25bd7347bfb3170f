"""What asks for tests of hypotheses, and how the text is read."""

from __future__ import annotations

import re
from collections.abc import Sequence

from flows.analysis.methods.arguments import MOST_GROUPS, Arguments, groups, plots
from flows.analysis.methods.correlation.cue import read_correlation
from flows.analysis.methods.hypothesis_test.arguments import HypothesisTest
from flows.analysis.methods.method import Cue, MethodRequest, setting, words
from flows.analysis.reading.reader import Unread
from flows.data.tables import Column
from flows.semantics.query import FieldRef, OneOf


def _read(request: MethodRequest) -> Arguments | Unread:
    """A mean and a level, two columns row by row, a number by groups, or two categories."""
    level, method = request.settings.get("level"), request.settings.get("method", "")
    group = request.group or _compared(request)
    columns = [c for c in request.columns if c.name != group]
    numbers, texts = _by_kind(columns, group)
    if level is not None and len(numbers) == 1 and not group:
        plain = float(level.replace(",", ""))
        given = {"fields": (numbers[0].name,), "variant": "level", "level": plain}
        return request.make(HypothesisTest, given)
    if method == "paired" or (len(numbers) == 2 and not group and not texts and _tests(request)):
        return _pairs(request, numbers)
    if not group and texts:
        group = texts.pop().name if not numbers else texts.pop(0).name
    if not group and len(numbers) == 2:
        return read_correlation(request)
    if not group:
        return Unread("it does not say which groups are to be compared, or in what")
    return _grouped(request, group, numbers, texts, method)


def _tests(request: MethodRequest) -> bool:
    """Whether a test of means is named, and no dependence in general."""
    return bool(re.search(r"\bt-?\s?test|wilcoxon|differ|compare", request.text, re.IGNORECASE))


def _compared(request: MethodRequest) -> str:
    """The column of which two values or more are named: `between men and women`."""
    for test in request.tests:
        if isinstance(test, OneOf) and isinstance(test.of, FieldRef) and len(test.values) > 1:
            column = request.of(test.of.field)
            if groups(column) and column.role != "time":
                return column.name
    return ""


def _by_kind(columns: Sequence[Column], group: str) -> tuple[list[Column], list[Column]]:
    """The numbers among columns, and those that make groups; of two numbers the one with few
    values makes groups."""
    numbers = [c for c in columns if plots(c)]
    texts = [c for c in columns if not plots(c)]
    if not group and not texts and len(numbers) == 2:
        few = [c for c in numbers if c.distinct <= (10 if c.type == "integer" else 3)]
        if len(few) == 1 and max(c.distinct for c in numbers) > 10:
            texts, numbers = few, [c for c in numbers if c not in few]
    return numbers, texts


def _pairs(request: MethodRequest, numbers: Sequence[Column]) -> Arguments | Unread:
    if len(numbers) != 2:
        return Unread(f"a paired test needs two columns of numbers, and {len(numbers)} are named")
    ranked = request.settings.get("method", "") in ("ranks", "mannwhitney")
    fields = tuple(c.name for c in numbers)
    return request.make(HypothesisTest, {"fields": fields, "variant": "paired", "ranked": ranked})


def _grouped(
    request: MethodRequest,
    group: str,
    numbers: Sequence[Column],
    texts: Sequence[Column],
    method: str,
) -> Arguments | Unread:
    column = request.of(group)
    if column.distinct > MOST_GROUPS and group not in request.filtered:
        return Unread(f"{group} has {column.distinct} values, too many to compare")
    if len(numbers) == 1 and not texts and re.search(r"chi[- ]?square", request.text, re.I):
        if numbers[0].distinct > MOST_GROUPS:
            return Unread(f"{numbers[0].name} has too many values for a chi-square test")
        texts, numbers = numbers, ()  # numbers that say which group, such as 0 and 1
    if len(numbers) == 1 and not texts:
        given = {"fields": (numbers[0].name,), "group": group, "variant": method}
        return request.make(HypothesisTest, given)
    if len(texts) == 1 and not numbers:
        if texts[0].distinct > MOST_GROUPS:
            return Unread(f"{texts[0].name} has {texts[0].distinct} values, too many to compare")
        shares = bool(re.search(r"proportion|share|rate|percent", request.text, re.IGNORECASE))
        method = "proportions" if shares else "independence"
        given = {"fields": (texts[0].name,), "group": group, "variant": method}
        return request.make(HypothesisTest, given)
    if not numbers and not texts:
        return Unread(f"it does not say in what the values of {group} are to be compared")
    found = [c.name for c in (*numbers, *texts)]
    return Unread(f"one column at a time can be compared by {group}, and it names "
                  f"{' and '.join(found)}")  # fmt: skip


_T = (
    r"\b(?:(?:an? |the |use |run |do |perform |with |by |using )*{name})(?: tests?)?(?: (?:please|"
    r"of|for|on|to|that|whether|if)\b)?"
)


def _test(name: str, method: str) -> tuple[str, str]:
    return _T.replace("{name}", name), method


CUE = Cue(
    read=_read,
    words=r"(?:(?:is|was|are|were) there )?(?:an? |any |the )*(?:statistically )?"
        r"significant(?:ly)? (?:difference|effect|different|higher|lower|larger|"
        r"smaller|greater|more|less|worse|"
        r"better|"
        r"longer|shorter|older|younger)s?|(?:(?:two|2|one|independent)[- ]samples? )?t[- ]?tests?|"
        r"(?:(?:one|1|single)[- ]way )?(?:anova|analysis of variance)|"
        r"chi[- ]?squared?(?: tests?)?|mann[- ]?whitney(?: u)?|kruskal(?:[- ]wallis)?|wilcoxon|"
        r"(?:differs?|vary|varies)(?: significantly| statistically)?(?= (?:between|across|by|among|"
        r"in|from|with|depending))|(?:in)?dependen(?:t|ce)(?= of| from|\W*$| test)|depends?(?: "
        r"significantly)? on|a/b tests?|ab tests?|hypothesis tests?|levene(?:['\u2019]s)?|"
        r"paired(?: samples?)?(?: t)?[- ]?tests?|cohen['\u2019]?s d|effect size|"
        r"statistical(?:ly)? significan(?:ce|t)",
    hint=r"(?:is|are|was|were|whether) .*\b(?:mean|average)\b.*\b(?:equal to|different from|"
        r"differs? "
        r"from|significantly) -?\d|(?:do|does|did|are|is) .*\b(?<!the )differ(?:s|ent|ently)?\b.*|"
        r"(?:down to|due to|by) chance|evidence (?:that|of|for)|same for|compare .* with an? ",
    noun=r"t-tests?|anova|chi-squared? tests?",
    includes=words("correlation distribution summary_statistics chart"),
    settings=(
        *(setting("method", *_test(name, method)) for name, method in (
            (r"mann[- ]?whitney(?: u)?", "mannwhitney"), (r"kruskal(?:[- ]wallis)?", "kruskal"),
            (r"non-?parametric(?:ally)?(?: comparison)?", "ranks"), (r"wilcoxon(?: signed[- "
                r"]rank)?",
            "ranks"), (r"levene(?:['\u2019]s)?", "levene"),
            (r"(?:(?:one|1)[- ]way )?anova", "anova"),
            (r"(?:student(?:['\u2019]s)?) t[- ]?test", "student"), (r"welch(?:['\u2019]s)? t[- "
                r"]?test",
            "welch"), (r"paired(?: samples?)?(?: t\b)?", "paired"))),
        setting("method", r"\bfor the same (?:people|persons?|subjects?|customers?|rows?|units?|"
                r"patients?)\b", "paired"),
        setting("level", r"\b(?:(?:significantly |statistically )?(?:different from|differs? from|"
                r"equal to|equals?|other than|higher than|lower than|larger than|smaller than|"
                r"greater than|less than|from|exactly))\s+\$?(?P<value>-?\d[\d,]*(?:\.\d+)?)(?: "
                r"(?:dollars?|euros?|years?|percent|units?|points?|minutes?|hours?|kg|cm))?\b",
                only=r"\b(?:mean|average)\b"),
        setting("count", r"\b(?:the )?(?:two|both|three|2|3) (?=[a-z])"),
        setting("size", r"\(?cohen['\u2019]?s d\)?"),
        setting("equal", r"\b(?:for )?(?:equal|the same|homogeneous) variances?(?: of)?\b"),
        setting("proportion", r"\bthe (?:proportion|share|rate|percentage) of\b"),
    ),
    around=words(
        """significant significantly difference differences differ differs different differently
        statistically statistical effect size test tests group groups score scored scores higher
        lower larger smaller greater than more less mean average equal same chance down due could
        comparison compare compared people person between independence independent dependent depend
        depends related change changed run please a/b t anova whether if to
        relationship related proportion vary varies hypothesis change evidence
        variances down"""
    ),
)  # fmt: skip
