"""All cases, and the table of them for the docs."""

from __future__ import annotations

from typing import Final

from tests.library.aiflows.oracle.case import Case
from tests.library.aiflows.oracle.chat_cases import CHAT_CASES
from tests.library.aiflows.oracle.flow_cases import FLOW_CASES
from tests.library.aiflows.oracle.key_cases import KEY_CASES
from tests.library.aiflows.oracle.random_cases import random_cases

RANDOM_CASES: Final = random_cases()
CASES: Final = (*KEY_CASES, *FLOW_CASES, *CHAT_CASES, *RANDOM_CASES)
