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
    r"nice to meet you)[\s,.!?]*)+",
    re.IGNORECASE,
)
_FAREWELL: Final = re.compile(
    r"(?:(?:bye|goodbye|good bye|see you|see you later|good night|have a nice day|ciao|"
    r"until tomorrow|thanks|thank you)[\s,.!]*)+",
    re.IGNORECASE,
)


# Who says so wants to know what can be asked.
_HELP: Final = re.compile(
    r"\W*(?:(?:please|hi|hello|hey)\W+)*(?:help(?: me)?|who are you|(?:what|which) "
    r"(?:can|do|could) "
    r"(?:you|i) (?:do|ask|say|know)(?: you)?(?: here)?|what questions can i ask|how does this work|"
    r"what is this|what now)\W*",
    re.IGNORECASE,
)


def asks_help(text: str) -> bool:
    """Whether a person wants to know what can be asked."""
    return _HELP.fullmatch(text.strip()) is not None


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
