"""Pieces of a question that are put in the place of others before it is read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from flows.analysis.language.words import Token
from flows.analysis.linking.schema import BORDER

# What of the rows that a phrase speaks of is compared: an aggregate of them, each or any of them,
# or the value of the one row that it names.
Quantity = Literal["aggregate", "every", "some", "one"]


@dataclass(frozen=True, slots=True)
class Phrase:
    """A part of a question that is a question of its own, and what is asked of its rows."""

    quantity: Quantity
    tokens: tuple[Token, ...]


class Placeholder(float):
    """A number that is not known before the question inside of the question is answered.

    Rules of comparison treat it like any other number; it is never in a plan that is given away.
    """

    phrase: Phrase

    def __new__(cls, phrase: Phrase) -> Placeholder:
        made = super().__new__(cls, "nan")
        made.phrase = phrase
        return made


def placeholder_token(phrase: Phrase) -> Token:
    """The token that stands for a phrase which was cut out."""
    first, last = phrase.tokens[0], phrase.tokens[-1]
    text = " ".join(token.text for token in phrase.tokens)
    return Token(text, first.start, last.end, "number", BORDER, Placeholder(phrase))


def column_token(table: str, column: str) -> Token:
    """A token that names a column of a table and nothing else."""
    return Token(column, 0, 0, "name", column.casefold(), f"{table}{BORDER}{column}")


def table_token(table: str) -> Token:
    """A token that names a table and nothing else."""
    return Token(table, 0, 0, "name", table.casefold(), f"{table}{BORDER}")


def words(text: str) -> tuple[Token, ...]:
    """Plain words as tokens."""
    return tuple(Token(word, 0, 0, "word", word) for word in text.split())


def texts(tokens: Sequence[Token]) -> tuple[tuple[str, object], ...]:
    """What tells two rows of tokens apart."""
    return tuple((token.text, token.value) for token in tokens)
