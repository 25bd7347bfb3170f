"""The phrases of questions about data, each with what it means: one table for each kind of phrase.

The parser reads and writes by these tables, and a rule with a regular expression takes its part
from them (`COMPARISONS.pattern()`). The first phrase of a meaning is the one that is written.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Generic, Literal, TypeVar

from flows.semantics.query import Function, Grain, Operator, Place
from flows.semantics.request import ChartType

Meaning = TypeVar("Meaning", bound=Hashable)
ARTICLES = frozenset({"the", "a", "an"})
_PIECES = re.compile(r"\w+(?:'\w+)?|[<>!=]+|[^\w\s]")


class Phrases(Generic[Meaning]):
    """The phrases of one kind: for each meaning several, with `|` between them.

    Articles are written and need not be read. Case does not matter.
    """

    def __init__(self, table: Mapping[Meaning, str]) -> None:
        self._written = {
            meaning: tuple(" ".join(each.split()) for each in phrases.split("|"))
            for meaning, phrases in table.items()
        }

    def __contains__(self, meaning: Meaning) -> bool:
        return meaning in self._written

    def __iter__(self) -> Iterator[Meaning]:
        return iter(self._written)

    def write(self, meaning: Meaning) -> str:
        """The usual phrase for a meaning; raises KeyError where there is none."""
        return self._written[meaning][0]

    def read(self, phrase: str) -> Meaning | None:
        """What a whole phrase means; None where it is not one of these."""
        words = words_of(phrase)
        found = self.match(words, 0)
        return found[0] if found and found[1] == len(words) else None

    def match(self, words: Sequence[str], at: int) -> tuple[Meaning, int] | None:
        """What the longest phrase at a place means, and the place behind it.

        `words` are in lower case and without articles.
        """
        for phrase, meaning in self._by_first.get(words[at], ()) if at < len(words) else ():
            end = at + len(phrase)
            if tuple(words[at:end]) == phrase:
                return meaning, end
        return None

    def pattern(self, *meanings: Meaning) -> str:
        """A regular expression for any phrase of these meanings (of all, when none is given), in
        lower case, the longest first."""
        chosen = meanings or tuple(self._written)
        phrases = {each for meaning in chosen for each in self._written[meaning]}
        return "|".join(re.escape(each).replace(r"\ ", " ") for each in sorted(phrases, key=_long))

    def forms_in(self, text: str) -> Iterator[Meaning]:
        """What the forms of these verbs in a text mean, in its order (`reducing` of `reduce`)."""
        stems = [(tuple(each.removesuffix("e") for each in written), meaning)
                 for meaning, written in self._written.items()]  # fmt: skip
        for word in words_of(text):
            yield from (meaning for stem, meaning in stems if word.startswith(stem))

    def phrases(self) -> Iterator[tuple[str, ...]]:
        """Each phrase as words, without articles."""
        for each in self._by_first.values():
            yield from (phrase for phrase, _ in each)

    @cached_property
    def _by_first(self) -> dict[str, list[tuple[tuple[str, ...], Meaning]]]:
        found: dict[str, list[tuple[tuple[str, ...], Meaning]]] = {}
        for meaning, phrases in self._written.items():
            for words in dict.fromkeys(map(words_of, phrases)):
                found.setdefault(words[0], []).append((words, meaning))
        for each in found.values():
            each.sort(key=lambda entry: -len(entry[0]))
        return found


def words_of(phrase: str) -> tuple[str, ...]:
    """The words and signs of a phrase, in lower case, without articles."""
    return tuple(each for each in _PIECES.findall(phrase.casefold()) if each not in ARTICLES)


def _long(phrase: str) -> tuple[int, str]:
    return -len(phrase), phrase


COMPARISONS: Phrases[Operator] = Phrases({
    ">=": "at least|no less than|not less than|no fewer than|not fewer than|a minimum of"
    "|minimum of|more than or equal to|greater than or equal to|higher than or equal to"
    "|larger than or equal to|equal to or more than|equal to or greater than"
    "|equal to or higher than|in or after|on or after|at or after|on or later than|from at least"
    "|at or above|not before|since|starting from|>=|> =",
    "<=": "at most|no more than|not more than|up to|a maximum of|maximum of"
    "|less than or equal to|lower than or equal to|smaller than or equal to"
    "|fewer than or equal to|equal to or less than|equal to or lower than"
    "|in or before|on or before|at or before|on or earlier than|at or below|not after|until"
    "|not above|not over|<=|< =",
    ">": "more than|greater than|higher than|larger than|bigger than|later than|older than"
    "|longer than|taller than|heavier than|above|over|exceeding|exceeds|in excess of|beyond"
    "|after|>",
    "<": "less than|fewer than|lower than|smaller than|earlier than|younger than|shorter than"
    "|lighter than|cheaper than|under|below|before|prior to|<",
    "!=": "not|other than|different from|not equal to|unequal to|anything but|!=|! =|<>",
    "=": "equal to|equals|exactly|exactly equal to|the same as|=|==",
})  # fmt: skip
# A comparison that is said by one word, where a number follows: `greater 5`, `only 5`.
SHORT_COMPARISONS: Phrases[Operator] = Phrases({
    ">": "greater|higher|larger|bigger", "<": "less|lower|smaller", "=": "only",
})  # fmt: skip
# How a comparison with a date or a time is written.
TIMES: Mapping[Operator, str] = {
    "=": "", "!=": "not", ">": "after", ">=": "on or after", "<": "before", "<=": "on or before",
}  # fmt: skip

AGGREGATES: Phrases[Function] = Phrases({
    "count distinct": "number of different|number of distinct|number of unique|count of different"
    "|count of distinct|count of unique|distinct count of|how many different|how many distinct"
    "|how many unique",
    "count": "number of|count of|how many|numbers of|total number of",
    "sum": "total|sum of|sum|total of|combined|summed|total sum of",
    "average": "average|mean|avg|average of|mean of|average value of|mean value of|averaged",
    "median": "median|median of|median value of",
    "minimum": "minimum|lowest|smallest|min|minimal|least|earliest|minimum of|smallest value of"
    "|lowest value of",
    "maximum": "maximum|highest|largest|biggest|greatest|max|maximal|latest|maximum of"
    "|largest value of|highest value of",
    "deviation": "standard deviation of|standard deviation|std of|std dev of|stddev of",
    "share": "share of|percentage of|proportion of|fraction of|percent of",
})  # fmt: skip

# Places of a text in another one; a pair with False is the denial.
PLACES: Phrases[tuple[Place, bool]] = Phrases({
    ("contains", True): "contains|contain|containing|includes|including",
    ("starts", True): "starts with|start with|starting with|begins with|begin with"
    "|beginning with",
    ("ends", True): "ends with|end with|ending with|ends in|ending in",
    ("contains", False): "does not contain|do not contain|not containing|doesn't contain"
    "|does not include|not including",
    ("starts", False): "does not start with|do not start with|not starting with"
    "|does not begin with|not beginning with",
    ("ends", False): "does not end with|do not end with|not ending with|does not end in",
})  # fmt: skip
# Whether there is no value (True) or one (False).
ABSENCE: Phrases[bool] = Phrases({
    True: "missing|unknown|empty|blank|null|not known|not given|not filled in",
    False: "not missing|known|given|present|not empty|not blank|not null|not unknown|filled in",
})  # fmt: skip

GRAINS: Phrases[Grain] = Phrases({
    "quarter of year": "quarter of the year",
    "month of year": "month of the year|calendar month",
    "day of month": "day of the month",
    "weekday": "weekday|day of the week|days of the week|weekdays",
    "hour of day": "hour of the day",
    "fiscal year": "fiscal year|fiscal years|financial year|financial years",
    "fiscal quarter": "fiscal quarter|fiscal quarters|financial quarter|financial quarters",
    "year": "year|years",
    "half": "half year|half years",
    "quarter": "quarter|quarters",
    "month": "month|months",
    "week": "week|weeks",
    "day": "day|days",
    "hour": "hour|hours",
})  # fmt: skip
# Which period is meant, counted from the current one.
RELATIVE: Phrases[int] = Phrases(
    {
        0: "this|current|the present",
        -1: "last|previous|past|preceding|most recent",
        1: "next|coming|following|upcoming",
    }
)
MONTHS: Phrases[int] = Phrases({
    1: "January|Jan", 2: "February|Feb", 3: "March|Mar", 4: "April|Apr", 5: "May", 6: "June|Jun",
    7: "July|Jul", 8: "August|Aug", 9: "September|Sep|Sept", 10: "October|Oct",
    11: "November|Nov", 12: "December|Dec",
})  # fmt: skip
QUARTERS: Phrases[int] = Phrases({
    1: "Q1|first quarter of|1st quarter of", 2: "Q2|second quarter of|2nd quarter of",
    3: "Q3|third quarter of|3rd quarter of", 4: "Q4|fourth quarter of|4th quarter of"
    "|last quarter of",
})  # fmt: skip
# Where a period begins or ends that is named by another one.
BOUNDS: Phrases[Operator] = Phrases({
    ">=": "since|starting in|starting from|beginning in|as of|in or after",
    ">": "after|later than", "<": "before|prior to|earlier than",
    "<=": "until|till|up to|through|in or before|by end of|up to end of",
})  # fmt: skip
# Days of the week, as tests of their numbers.
WEEKDAYS: Phrases[tuple[Operator, int]] = Phrases({
    (">=", 6): "weekends|weekend|a weekend", ("<=", 5): "weekdays|working days|business days",
    ("=", 1): "Mondays|Monday", ("=", 2): "Tuesdays|Tuesday", ("=", 3): "Wednesdays|Wednesday",
    ("=", 4): "Thursdays|Thursday", ("=", 5): "Fridays|Friday", ("=", 6): "Saturdays|Saturday",
    ("=", 7): "Sundays|Sunday",
})  # fmt: skip

# Whether the largest comes first: of the rows as a whole, and behind what they are sorted by.
FIRST: Phrases[bool] = Phrases({
    True: "highest first|largest first|biggest first|greatest first|most first|latest first"
    "|newest first|in descending order|from high to low|from highest to lowest"
    "|sorted descending|sorted from high to low|sorted from highest to lowest"
    "|sorted from largest to smallest|from largest to smallest",
    False: "lowest first|smallest first|least first|fewest first|earliest first|oldest first"
    "|in ascending order|from low to high|from lowest to highest|sorted ascending"
    "|sorted from low to high|sorted from lowest to highest|sorted from smallest to largest"
    "|from smallest to largest",
})  # fmt: skip
DIRECTIONS: Phrases[bool] = Phrases({
    True: "descending|desc|highest first|largest first|latest first|newest first"
    "|in descending order|from high to low|from z to a",
    False: "ascending|asc|lowest first|smallest first|earliest first|oldest first"
    "|in ascending order|from low to high|from a to z|alphabetically",
})  # fmt: skip
# The first rows of an order: the largest, the smallest, or as they come (None).
ENDS: Phrases[bool | None] = Phrases({
    True: "top|best|highest|largest|biggest",
    False: "bottom|worst|lowest|smallest",
    None: "first",
})  # fmt: skip

# One end of an order as an adjective: whether it is the high one.
EXTREMES: Phrases[bool] = Phrases({
    True: "highest|largest|biggest|greatest|most|best|top|maximum|fastest|richest",
    False: "lowest|smallest|least|fewest|worst|bottom|minimum|slowest|poorest",
})  # fmt: skip
# More of something, or less of it.
AMOUNTS: Phrases[bool] = Phrases({
    True: "more|higher|larger|greater|bigger|longer|better|additional|further",
    False: "less|fewer|lower|smaller|shorter|worse",
})  # fmt: skip
# What becomes of something by itself: it rises, it falls, it changes.
CHANGES: Phrases[bool | None] = Phrases({
    True: "rise|rises|rising|rose|risen|increase|increases|increased|increasing|increasingly|grow"
    "|grows|grew|grown|growing|go up|goes up|going up|went up",
    False: "fall|falls|fell|fallen|falling|drop|drops|dropped|dropping|decline|declines|declined"
    "|declining|decrease|decreases|decreased|decreasing|go down|goes down|going down|went down",
    None: "change|changes|changed|changing|evolve|evolved|develop|developed|vary|varied|progress"
    "|progressed",
})  # fmt: skip
# What one thing does to another: there is more of that, or less.
EFFECTS: Phrases[bool] = Phrases({
    True: "raise|raises|raised|raising|gain|gains|gained|gaining|improve|improves|improved"
    "|improving|improvement|up",
    False: "reduce|reduces|reduced|reducing|reduction|lowers|lowered|lowering|hurt|hurts|harm|harms"
    "|harmed|harmful|worsen|worsens|worsened|down",
})  # fmt: skip
# Changes as nouns, of which something may be asked: `the growth of sales`.
CHANGE_NOUNS: Phrases[bool | None] = Phrases({
    True: "growth|increase|rise|progress|progression",
    False: "decrease|decline|fall",
    None: "trend|trends|change|changes|evolution|development",
})  # fmt: skip
# What is to become of something: the plain verb, and whether there is to be more of it.
AIMS: Phrases[tuple[str, bool | None]] = Phrases({
    ("improve", None): "improve|optimize|optimise|enhance",
    ("increase", True): "increase|maximize|maximise",
    ("raise", True): "raise",
    ("boost", True): "boost",
    ("strengthen", True): "strengthen",
    ("reduce", False): "reduce|minimize|minimise",
    ("lower", False): "lower",
    ("decrease", False): "decrease",
    ("cut", False): "cut",
    ("shorten", False): "shorten",
})  # fmt: skip

OPERATORS: Phrases[Literal["+", "-", "*", "/"]] = Phrases({
    "+": "plus|+", "-": "minus|-|–", "*": "times|multiplied by|*|×",  # noqa: RUF001
    "/": "divided by|/|÷",
})  # fmt: skip

Clause = Literal[
    "by", "over", "where", "only", "having", "identity", "show", "with", "compare", "union",
    "intersect", "except", "sort", "unique", "decimals", "in",
]  # fmt: skip
CLAUSES: Phrases[Clause] = Phrases({
    "by": "by|per|for each|for every|in each|grouped by|broken down by|split by|and by"
    "|break this down by|break it down by|break down by",
    "over": "over|from|among",
    "where": "where|provided that|limited to rows where|restricted to rows where",
    "only": "only where|but only where|only those where|keeping only those where",
    "having": "having",
    "identity": "kept apart by",
    "show": "showing|and show",
    "with": "with",
    "compare": "comparing|compare",
    "union": "together with",
    "intersect": "in common with",
    "except": "leaving out",
    "sort": "sorted by|ordered by|sort by|order by|arranged by",
    "unique": "without repeats|without duplicates|no duplicates",
    "decimals": "rounded to|round to",
    "in": "in|during",
})  # fmt: skip
AGAINST: Phrases[Literal["with"]] = Phrases(
    {
        "with": "compared with|compared to|versus|vs|against",
    }
)
WHICH: Phrases[Literal["which"]] = Phrases(
    {
        "which": "for which|whose|only where|only those where|only for which",
    }
)

Computed = Literal["share", "rank", "running", "moving", "change", "growth", "index", "difference"]
COMPUTED: Phrases[Computed] = Phrases({
    "share": "the percentage of the total of|the share of the total of|the percentage of"
    "|the share of",
    "rank": "the rank of|the rank by",
    "running": "the running total of|the cumulative total of|the cumulative sum of"
    "|the running sum of",
    "moving": "the moving average of|the rolling average of|the moving mean of"
    "|the rolling mean of",
    "change": "the change of|the change in",
    "growth": "the growth of|the growth in|the percentage change of|the percentage change in",
    "index": "the index of",
    "difference": "the difference of",
})  # fmt: skip

# Methods of analysis that have a name of their own in English; any other is called by its name.
METHODS: Phrases[str] = Phrases({
    "correlation": "correlation|correlations",
    "regression": "regression|linear regression",
    "key_drivers": "key drivers|drivers|main drivers",
    "feature_importance": "feature importance|importance",
    "hypothesis_test": "hypothesis test|significance test|statistical test|group comparison",
    "growth": "growth",
    "trend": "trend|development|course over time",
    "forecast": "forecast|prediction|projection",
    "clustering": "clustering|clusters|segments|segmentation",
    "principal_components": "principal components",
    "outliers": "outliers|anomalies",
    "normality": "normality",
    "summary_statistics": "summary statistics|summary",
    "missing_values": "missing values",
    "ranking": "ranking",
    "prediction": "predictions",
    "predictive_model": "predictive model",
    "distribution": "distribution",
    "survival": "survival analysis",
    "change": "explained change|change explained",
})  # fmt: skip

PICTURES: Phrases[ChartType] = Phrases(
    {
        "": "chart|plot|graph|picture|a figure",
        "bar": "bar chart|bar plot|bar graph|bars|column chart",
        "line": "line chart|line plot|line graph",
        "area": "area chart|area plot",
        "stacked": "stacked bar chart|stacked chart|stacked bars",
        "scatter": "scatter plot|scatter chart|scatterplot",
        "histogram": "histogram",
        "box": "box plot|boxplot|box chart",
        "pie": "pie chart|pie",
        "heatmap": "heatmap|heat map",
    }
)

# What may stand before a request and says nothing.
OPENINGS: Phrases[str] = Phrases(
    {
        "": "show me|show|give me|list|tell me|what is|what are|what was|what were|find|calculate"
        "|compute|display|please show me|please show|please|get|I want|I need|can you show me"
        "|could you show me|please list|please give me|what's|how much is"
        "|what about|how about|return|now|which"
    }
)
