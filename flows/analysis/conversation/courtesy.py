"""What people say to be polite, which asks nothing of the data."""

from __future__ import annotations

import re
from typing import Final

_THANKS: Final = re.compile(
    r"(?:(?:ok(?:ay)?|great|perfect|cool|nice|good|super|alright|fine|yes|no|danke|excellent|"
    r"got it|"
    r"i see|thanks?|thank you|thx|cheers|many thanks|thanks a lot|thank you very much|"
    r"that'?s (?:all|it|enough|great|helpful)|that (?:is|was|will be) all|that helps|"
    r"very helpful|well done|so much|for now|then|great job|all good|for the help|for your help)"
    r"[\s,.!]*)+",
    re.IGNORECASE,
)
_GREETING: Final = re.compile(
    r"(?:(?:hi|hello|hey|hallo|good (?:morning|afternoon|evening)|there|everyone|"
    r"how are you(?: doing)?(?: today)?|how is it going|how's it going|what'?s up|"
    r"nice to meet you|who are you|what can you do|help)[\s,.!?]*)+",
    re.IGNORECASE,
)
_FAREWELL: Final = re.compile(
    r"(?:(?:bye|goodbye|good bye|see you|see you later|good night|have a nice day|ciao|"
    r"until tomorrow|thanks|thank you)[\s,.!]*)+",
    re.IGNORECASE,
)


def courtesy(text: str) -> str:
    """The reply to words that are only polite; empty for any others."""
    said = text.strip()
    if _THANKS.fullmatch(said):
        return "You are welcome."
    if _FAREWELL.fullmatch(said):
        return "Goodbye."
    if _GREETING.fullmatch(said):
        return "Hello. Ask me a question about your data."
    return ""
