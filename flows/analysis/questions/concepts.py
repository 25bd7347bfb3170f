"""Words for what is measured: which words of column names a noun, verb or adjective may mean."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.language import phrasebook
from flows.analysis.language.lexicon import AGGREGATIONS
from flows.analysis.language.vocabulary import SCALES
from flows.analysis.language.words import singular
from flows.analysis.questions import thesaurus
from flows.analysis.questions.alike import ALIKE


def word_table(text: str) -> dict[str, tuple[str, ...]]:
    """The words before each colon with those behind it, up to the line that has the next colon."""
    found: dict[str, tuple[str, ...]] = {}
    words: list[str] = []
    for line in text.strip().splitlines():
        before, colon, columns = line.partition(":")
        if colon:
            words = before.split()
        else:
            columns = before
        for word in words:
            found[word] = tuple(dict.fromkeys((*found.get(word, ()), *columns.split())))
    return found


def _nouns() -> dict[str, tuple[str, ...]]:
    """What a noun may mean: what the table says, and then the other nouns for the same thing."""
    found = word_table(thesaurus.NOUNS)
    for line in ALIKE.strip().splitlines():
        for word in line.split():
            others = (each for each in line.split() if each != word)
            found[word] = tuple(dict.fromkeys((*found.get(word, ()), *others)))
    return found


NOUNS = _nouns()
VERBS = word_table(thesaurus.VERBS)
CASUAL = dict(each.split("=") for each in thesaurus.CASUAL.split())
COMPOUNDS = {
    tuple(words.split()): meant.split()
    for words, meant in (each.split("=") for each in thesaurus.COMPOUNDS.strip().split(","))
}
GLUED = {
    words.replace(" ", ""): words.split()
    for words in map(str.strip, thesaurus.GLUED.strip().split(","))
}
_OWN = {
    word: tuple((each.rstrip("-"), not each.endswith("-")) for each in columns)
    for word, columns in word_table(thesaurus.ADJECTIVES).items()
}


_LIMITS = word_table(thesaurus.LIMITS)


def limited_by(words: Sequence[str]) -> tuple[str, ...]:
    """The words of columns for what stays below or above a limit with such a name."""
    return next((_LIMITS[each] for each in words if each in _LIMITS), _LIMITS["plan"])


def scale_of(word: str) -> tuple[tuple[str, bool], ...]:
    """The words of columns that an adjective speaks of, each with whether more of the adjective is
    more of the column; none for a word that is no such adjective."""
    return _BY_FORM.get(word, ())


def form_of(word: str) -> int:
    """0 for an adjective as it is, 1 for its comparative, 2 for its superlative; -1 for others."""
    return _DEGREES.get(word, -1)


def _forms(base: str) -> tuple[str, str, str]:
    if base.endswith("y"):
        return base, base[:-1] + "ier", base[:-1] + "iest"
    if base.endswith("e"):
        return base, base + "r", base + "st"
    double = base + base[-1] if base in ("big", "hot", "sad", "wet") else base
    return base, double + "er", double + "est"


def _collect() -> tuple[dict[str, tuple[tuple[str, bool], ...]], dict[str, int]]:
    scales: dict[str, tuple[tuple[str, bool], ...]] = {}
    degrees: dict[str, int] = {}
    bases = [word for word in SCALES if not word.endswith(("er", "est"))]
    for base in dict.fromkeys([*bases, *_OWN]):
        fields = tuple(dict.fromkeys((*_OWN.get(base, ()), *SCALES.get(base, ()))))
        for degree, form in enumerate(_forms(base)):
            scales[form] = fields
            degrees[form] = degree
    return scales, degrees


_BY_FORM, _DEGREES = _collect()


def _inflections(verb: str) -> tuple[str, ...]:
    stem = verb[:-1] if verb.endswith("e") else verb
    return stem + "ed", stem + "ing"


# What `solved` and `solving` mean is what `solve` does.
_BY_VERB = {form: NOUNS[verb] for verb in thesaurus.DEEDS.split() for form in _inflections(verb)}


def meanings_of(word: str) -> tuple[str, ...]:
    """The words of columns that a noun or a verb may mean, the likeliest first."""
    return NOUNS.get(word) or NOUNS.get(singular(word)) or _BY_VERB.get(word, ())


def meanings_of_verb(word: str) -> tuple[str, ...]:
    return VERBS.get(word, ())


# Words that phrases are made of, and all words that are known without any data.
PHRASE_WORDS = frozenset(
    word
    for table in vars(phrasebook).values()
    if isinstance(table, phrasebook.Phrases)
    for phrase in table.phrases()
    for word in phrase
)
# Who spends what others earn.
BUYERS = frozenset(["customer", "client", "buyer", "user", "guest", "visitor", "household"])
SAID = frozenset(thesaurus.SAID.split())
KNOWN_WORDS = tuple(
    dict.fromkeys([*PHRASE_WORDS, *NOUNS, *VERBS, *_BY_FORM, *AGGREGATIONS, "biggest", "department",
                   "customer", "product", "employee", "people", "country", "category"])
)  # fmt: skip
