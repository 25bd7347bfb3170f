"""General English of questions about tables: what words do, nothing about any data set."""

from __future__ import annotations

from flows.analysis.language.vocabulary import COMPARATIVES, LONG_ADJECTIVES, SUPERLATIVES
from flows.semantics.query import Function


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


# Words that carry no content of their own: a reading need not explain them.
FUNCTION_WORDS = frozenset(
    _words("""a about across again all along also altogether am among amongst an and answer
    any are as at available based be been being both by calculate called can compute
    contain contained corresponding could current currently data database dataset
    details determine did different display distinct do does each entire entries
    entry ever every exactly exist exists fetch find following for from get give
    given had has have having he hello her here hi him his how i identify if in
    include including information into is it item items its just know let lets like
    list listed many may me much my named need now of off ok on one ones only or our
    out output over overall per please present print provide question record
    recorded records report respective respectively result results retrieve return
    row rows same see select shall she should show so some such table tell than
    thanks that the their theirs them then there these they this those to together
    too under unique up us using value values various very via want was we were what
    when where which who whole whom whose will with within would you your""")
)

# Verbs whose object is found in the rest of the question; unexplained, they weigh little.
WEAK_VERBS = frozenset(
    _words("""appear appears assign assigned associate associated base became become began
    begin belong belongs born bought buy came charge come compare compared contains
    correspond cost create created describe described done earn earned end ended
    ending enroll enrolled fall found get go goes got happen happened held hire
    hired hold issue issued join joined lie live living locate located look looking
    made make measure measured mention mentioned note noted occur occurred occurs
    offer offered order ordered own owned paid participate participated pay play
    played produce produced publish published reach receive received record register
    registered relate related release released run running said say seen sell serve
    served shared sit sold start started starting stay stored take taken think took
    use used using win won work working write written wrote""")
)

# Nouns that say little beside the thing they stand with.
WEAK_NOUNS = frozenset(
    _words("""case cases category complete day days full group groups kind kinds member
    members origin origins part parts people person place places state thing things time times
    together type types way year years""")
)

_AGGREGATIONS: dict[Function, str] = {
    "average": "average averaged avg mean typical",
    "median": "median",
    "sum": "total sum combined summed",
    "maximum": "maximum max maximal highest largest biggest greatest top",
    "minimum": "minimum min minimal lowest smallest least",
}
AGGREGATIONS: dict[str, Function] = {
    word: meaning for meaning, words in _AGGREGATIONS.items() for word in words.split()
}

MORE = _words("highest largest biggest greatest most best top maximum max maximal")
LESS = _words("lowest smallest least fewest minimum min minimal worst bottom")

TABLE_PREFIXES = frozenset(_words("ref tbl tb dim fact table t vw view"))
ROW_WORDS = frozenset(_words("row record entry observation"))

ORDINALS = {
    **dict(zip(_words("first second third fourth fifth"), range(1, 6), strict=True)),
    **dict(zip(_words("2nd 3rd 4th 5th"), range(2, 6), strict=True)),
}

# A word that must not be read as a column unless it is the whole name of one.
OPERATION_WORDS = frozenset(
    {*AGGREGATIONS, *MORE, *LESS, *SUPERLATIVES, *COMPARATIVES, *ORDINALS, *LONG_ADJECTIVES}
    | set(
        _words("""above after alphabetical alphabetically ascending before below between change
    changed common count descending early frequent frequently growth high large late
    less long low many more much new number old order over percent percentage
    popular share short since sort time times trend under until""")
    )
)
