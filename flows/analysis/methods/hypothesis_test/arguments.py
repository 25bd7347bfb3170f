"""Tests whether groups differ or columns depend on each other: the arguments."""

from __future__ import annotations

from typing import ClassVar, Final, Literal

from pydantic import Field

from flows.analysis.methods.arguments import AnyColumn, Arguments, Groups, plots
from flows.data.tables import Table

Variant = Literal[
    "", "mannwhitney", "kruskal", "ranks", "levene", "anova", "student", "welch", "paired", "level",
    "independence", "proportions",
]  # fmt: skip
DEPENDENCE: Final = ("independence", "proportions")


class HypothesisTest(Arguments):
    """What is tested: a number in groups, two numbers row by row (`paired`, by ranks if `ranked`),
    a mean against a `level`, or two columns of categories (`independence`, `proportions`).

    Without a variant the number of groups says which test is made.
    """

    method: ClassVar[str] = "hypothesis_test"

    fields: tuple[AnyColumn, ...] = Field(min_length=1, max_length=2)
    group: Groups = ""
    variant: Variant = ""
    level: float | None = None
    ranked: bool = False

    def limits(self, table: Table) -> tuple[str, ...]:
        known = {each.name: each for each in table.columns}
        unfit = [name for name in self.fields if not plots(known[name])]
        if unfit and self.variant not in DEPENDENCE:
            return (f"{' and '.join(unfit)} holds no numbers but text, and a test of means needs "
                    "numbers",)  # fmt: skip
        if self.variant == "level" and self.level is None:
            return ("a mean is tested against a level, and none is given",)
        if self.variant == "paired" and len(self.fields) != 2:
            return (
                f"a paired test needs two columns of numbers, and {len(self.fields)} are named",
            )
        if self.variant not in ("level", "paired") and not self.group:
            return ("it does not say which groups are to be compared, or in what",)
        return ()
