"""The phrases of remarks about an answer, each with what it changes: tables as in the phrasebook.

They stand apart from the phrases of requests, as no name needs quotes because of them.
"""

from __future__ import annotations

from flows.analysis.language.phrasebook import Phrases
from flows.analysis.language.words import COUNTS

# What may stand before a remark and says nothing of what is to change.
REMARK_OPENINGS: Phrases[str] = Phrases({
    "": "and|but|then|also|now|just|make|make it|make that|add|no|nope|sorry|actually|well|ok|okay"
    "|yes|I mean|I meant|I want|I wanted|I would like|I said|let me see|draw|it|this|that|use"
    "|which one is|which one has|which ones are|which is|which are|which one was|which one had"
    "|the same|can you|could you|plus|rather|change it to|change that to|show it|show them"
    "|restrict it to|restrict to|limit it to|limit to|go back to|who is|which has|which had",
})  # fmt: skip
# What may stand behind one.
REMARK_ENDINGS: Phrases[str] = Phrases({
    "": "please|too|also|now|as well|thanks|thank you|again|again please|instead please|then",
})  # fmt: skip
ABOUT: Phrases[str] = Phrases({"": "what about|how about"})
# Whether groups are added to those there, or put in their place.
GROUPINGS: Phrases[bool] = Phrases({
    True: "broken down by|broken down further by|split by|split it by|split this by|split that by"
    "|split further by|break this down by|break it down by|break that down by|break them down by"
    "|break down by|break it down further by|break this down further by|break it down further into"
    "|further by|additionally by|and by|also by|and also by|and per|and for each|drill down by"
    "|drill down into|drill down to|as well as by",
    False: "by|per|for each|for every|in each|in every|grouped by|group by|group it by"
    "|group them by|each|every",
})  # fmt: skip
EXCLUSIONS: Phrases[str] = Phrases({
    "": "without|exclude|excluding|except|except for|not|not in|not for|no|drop|remove|leave out"
    "|leaving out|omit|ignore|ignoring|other than|minus|but not|skip|not counting|take out",
})  # fmt: skip
INCLUSIONS: Phrases[str] = Phrases({"": "include|including|put back|bring back|with"})
RESTRICTIONS: Phrases[str] = Phrases({"": "filter|condition|restriction|limit"})
EVERY: Phrases[str] = Phrases({
    "": "all|every|any|for all|in all|for every|regardless of|irrespective of|over all|across all",
})  # fmt: skip
TURNS: Phrases[str] = Phrases({
    "": "reverse|reversed|reverse it|reverse order|in reverse|in reverse order|the other way round"
    "|the other way around|the other way|the opposite|upside down|turn it around|flip it",
})  # fmt: skip
SORTS: Phrases[str] = Phrases({
    "": "sort it by|sort them by|sort this by|sort that by|sorted by|sort by|order it by"
    "|order them by|order this by|ordered by|order by|arranged by|arrange by|ranked by|rank by"
    "|rank them by|sort|sort it|sort them|sorted|sort in|sort it in|ordered|order it",
})  # fmt: skip
PERCENTAGES: Phrases[str] = Phrases({
    "": "in percent|as percent|as percentage|as a percentage|as percentages|in percentages"
    "|as a share|as shares|in %|as %|as a share of the total|as a percentage of the total"
    "|in per cent|as a percentage of total|as a share of total",
})  # fmt: skip
# More of the rows of which some are shown, and all of them.
MORE_ROWS: Phrases[bool] = Phrases({
    False: "more|more rows|more of them|some more|a few more|more results|more groups|more please"
    "|show more",
    True: "all of them|all rows|all groups|all results|everything|every one|everyone|the whole list"
    "|the full list|the rest|all|them all|all of it|show all",
})  # fmt: skip
COUNTED: Phrases[str] = Phrases({
    "": "list them|name them|list these|list those|name these|name those|what are they"
    "|which are they|who are they|which ones|them|these|those",
})  # fmt: skip
PLACES_IN_ORDER: Phrases[int] = Phrases({
    1: "first one", 2: "second|2nd|next|runner-up", 3: "third|3rd", 4: "fourth|4th",
    5: "fifth|5th", 6: "sixth|6th", 7: "seventh|7th", 8: "eighth|8th", 9: "ninth|9th",
    10: "tenth|10th",
})  # fmt: skip
NUMBERS: Phrases[int] = Phrases({
    1: "one", 15: "fifteen", 20: "twenty", **{number: word for word, number in COUNTS.items()},
})  # fmt: skip
BESIDES: Phrases[str] = Phrases({
    "": "how does that compare with|how does that compare to|how does this compare with"
    "|how does this compare to|how does it compare with|how does it compare to|compare with"
    "|compare to|compare it with|compare it to|compare that with|compare this with|next to",
})  # fmt: skip
# Ends of an order that a remark may name without a number, besides `ENDS`.
EXTREMES: Phrases[bool] = Phrases({
    True: "highest|largest|biggest|greatest|most|top|best|latest|newest|top one",
    False: "lowest|smallest|least|fewest|bottom|worst|earliest|oldest|bottom one",
})  # fmt: skip
# Whether what a remark asks is answered beside the answer before it, not in its place.
BESIDE: Phrases[str] = Phrases({"": "and|also|what about|how about|plus|add|as well"})
IN_PLACE: Phrases[str] = Phrases({
    "": "instead|only|just|use|rather|change|restrict|limit|make it|without|not|exclude|excluding"
    "|except|top|by|meant|mean",
})  # fmt: skip
