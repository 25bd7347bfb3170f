"""What things are worth in all: an amount of them times the price of one, where no column says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from flows.analysis.language.words import Token, singular, split_identifier
from flows.analysis.linking.schema import schema_of
from flows.analysis.methods.method import words
from flows.analysis.reading.draft import is_numeric
from flows.analysis.team.goals.wide_table import Wide, with_column
from flows.data.tables import Column, Table
from flows.semantics.query import Arithmetic

_WORTH: Final = words("revenue revenues turnover proceeds takings")
_AMOUNTS: Final = words("quantity qty pieces units amount")
_PRICES: Final = words("price")
# A price that is said to be of one unit is the one that was paid.
_OF_ONE: Final = words("unit item piece each single")


def with_worth(tokens: Sequence[Token], wide: Wide, tables: Sequence[Table]) -> Wide:
    """The wide table with what its rows are worth, where a question asks for that in a word that
    no column of the data is called by."""
    asked = next((t.lower for t in tokens if t.lower in _WORTH), "")
    known = {singular(w) for t in tables for each in schema_of(t).column_words for w in each}
    if not asked or known & {singular(each) for each in _WORTH}:
        return wide
    amount = _measured(wide, _AMOUNTS)
    price = _measured(wide, _PRICES)
    if amount is None or price is None or wide.owner(amount.name) != wide.base.name:
        return wide
    factors = [wide.expression(each.name) for each in (amount, price)]
    worth = Arithmetic(operator="*", left=factors[0], right=factors[1])
    return with_column(wide, (singular(asked), worth))


def _measured(wide: Wide, called: frozenset[str]) -> Column | None:
    """The measure whose name says so: of the table itself before one of a related table."""
    found = [
        each for each in wide.table.columns
        if each.role == "measure" and is_numeric(each)
        and called & {singular(word) for word in split_identifier(each.name)}
    ]  # fmt: skip

    def near(column: Column) -> tuple[bool, bool]:
        of_one = bool(_OF_ONE & set(split_identifier(column.name)))
        return wide.owner(column.name) != wide.base.name, not of_one

    return min(found, key=near, default=None)
