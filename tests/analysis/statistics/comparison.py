"""Questions whether groups differ, or whether it may be chance."""

from __future__ import annotations

import pandas as pd
from scipy import stats

from tests.analysis.statistics.facts import Fact, has, says, warned
from tests.analysis.statistics.facts import Question as Ask


def _split(d: pd.DataFrame, value: str, by: str) -> list[pd.Series]:
    return [part[value].dropna() for _, part in d.groupby(by)]


def _welch(one: pd.Series, two: pd.Series) -> list[Fact]:
    found = stats.ttest_ind(one, two, equal_var=False)
    word = "significant" if found[1] < 0.05 else "no significant|not significant"
    return [has(found[1], within=1e-4), says("welch|t-test"), says(word)]


def _anova(d: pd.DataFrame, value: str, by: str) -> list[Fact]:
    found = stats.f_oneway(*_split(d, value, by))
    return [has(found[0]), has(found[1], within=1e-4), says("anova|variance")]


def _chi(d: pd.DataFrame, one: str, two: str) -> list[Fact]:
    found = stats.chi2_contingency(pd.crosstab(d[one], d[two]), correction=False)
    with_correction = stats.chi2_contingency(pd.crosstab(d[one], d[two]))
    p = with_correction if pd.crosstab(d[one], d[two]).shape == (2, 2) else found
    return [has(p[0], within=1e-4), has(p[1], within=1e-4), says("chi-square")]


QUESTIONS = [
    Ask("tips", "Is there a significant difference in tip between men and women?",
      lambda d: _welch(d[d["sex"] == "Male"]["tip"], d[d["sex"] == "Female"]["tip"])),
    Ask("tips", "Do smokers tip differently from non-smokers? Run a t-test.",
      lambda d: _welch(*_split(d, "tip", "smoker"))),
    Ask("tips", "Are total bills at dinner significantly higher than at lunch?",
      lambda d: _welch(*_split(d, "total_bill", "time"))),
    Ask("tips", "Mann-Whitney test of tip between lunch and dinner",
      lambda d: [has(stats.mannwhitneyu(*_split(d, "tip", "time"))[1], within=1e-4)]),
    Ask("tips", "Does the average total bill differ across days? ANOVA please",
      lambda d: _anova(d, "total_bill", "day")),
    Ask("tips", "Kruskal-Wallis: does tip vary by day?",
      lambda d: [has(stats.kruskal(*_split(d, "tip", "day"))[1], within=1e-4)]),
    Ask("tips", "Is smoking independent of sex?", lambda d: _chi(d, "smoker", "sex")),
    Ask("tips", "Does day depend on time?", lambda d: _chi(d, "day", "time")),
    Ask("tips", "chi-squared test between smoker and day", lambda d: _chi(d, "smoker", "day")),
    Ask("tips", "Is the mean tip different from 3 dollars?",
      lambda d: [has(stats.ttest_1samp(d["tip"], 3)[1], within=1e-4)]),
    Ask("tips", "test whether the average party size is equal to 2.5",
      lambda d: [has(stats.ttest_1samp(d["size"], 2.5)[1], within=1e-4)]),
    Ask("tips", "Could the difference in tips between Thursday and Sunday be down to chance?",
      lambda d: _welch(d[d["day"] == "Thur"]["tip"], d[d["day"] == "Sun"]["tip"])),
    Ask("tips", "effect size (Cohen's d) of the difference in total bill between smokers and "
      "non-smokers", lambda d: [has(abs(_cohen(*_split(d, "total_bill", "smoker"))),
                                    within=1e-4)]),
    Ask("iris", "Does petal length differ significantly between species?",
      lambda d: _anova(d, "petal_length", "species")),
    Ask("iris", "compare sepal width of setosa and virginica with a t test",
      lambda d: _welch(d[d["species"] == "setosa"]["sepal_width"],
                       d[d["species"] == "virginica"]["sepal_width"])),
    Ask("iris", "Do the species differ in sepal width?",
      lambda d: _anova(d, "sepal_width", "species")),
    Ask("experiment", "Did the treatment group score differently from control in experiment_2?",
      lambda d: _welch(d[d["group"] == "treatment"]["experiment_2"],
                       d[d["group"] == "control"]["experiment_2"])),
    Ask("experiment", "paired t-test of experiment_1 and experiment_3",
      lambda d: [has(stats.ttest_rel(d["experiment_1"], d["experiment_3"])[1], within=1e-4),
                 says("paired")]),
    Ask("experiment", "Did scores change between experiment_1 and experiment_2 for the same "
                      "people? "
      "Use a paired test.",
      lambda d: [has(stats.ttest_rel(d["experiment_1"], d["experiment_2"])[1], within=1e-4)]),
    Ask("experiment", "is there a statistically significant effect of gender on experiment_3?",
      lambda d: _welch(*_split(d, "experiment_3", "gender"))),
    Ask("experiment", "A/B test: is experiment_1 different between the two groups?",
      lambda d: _welch(*_split(d, "experiment_1", "group"))),
    Ask("experiment", "Is the mean of experiment_1 equal to 100?",
      lambda d: [has(stats.ttest_1samp(d["experiment_1"], 100)[1], within=1e-4)]),
    Ask("gapminder", "Was life expectancy in 2007 significantly different between Europe and the "
      "Americas?", lambda d: _welch(
          d[(d["year"] == 2007) & (d["continent"] == "Europe")]["lifeExp"],
          d[(d["year"] == 2007) & (d["continent"] == "Americas")]["lifeExp"])),
    Ask("gapminder", "does life expectancy depend on the continent?",
      lambda d: _anova(d, "lifeExp", "continent")),
    Ask("gapminder", "nonparametric comparison of gdpPercap across continents in 2007",
      lambda d: [has(stats.kruskal(*_split(d[d["year"] == 2007], "gdpPercap", "continent"))[1],
                     within=1e-4), warned("small_groups")]),
    Ask("cancer", "Is mean texture significantly higher in malignant than in benign tumours?",
      lambda d: _welch(*_split(d, "mean texture", "diagnosis"))),
    Ask("cancer", "t-test for mean smoothness by diagnosis",
      lambda d: _welch(*_split(d, "mean smoothness", "diagnosis"))),
    Ask("election", "Is the result related to the winner? Test independence.",
      lambda d: _chi(d, "result", "winner")),
    Ask("election", "do total votes differ by winner?", lambda d: _anova(d, "total", "winner")),
    Ask("wine", "Does hue differ between the targets?", lambda d: _anova(d, "hue", "target")),
    Ask("diabetes", "Do the two sexes differ in bp?", lambda d: _welch(*_split(d, "bp", "sex"))),
    Ask("tips", "Is the proportion of smokers the same for men and women?",
      lambda d: [has(stats.chi2_contingency(pd.crosstab(d["sex"], d["smoker"]),
                                            correction=False)[1], within=1e-3)]),
    Ask("tips", "Levene test for equal variances of tip between sexes",
      lambda d: [has(stats.levene(*_split(d, "tip", "sex"))[1], within=1e-4)]),
]  # fmt: skip


def _cohen(one: pd.Series, two: pd.Series) -> float:
    spread = (len(one) - 1) * one.var() + (len(two) - 1) * two.var()
    return float((one.mean() - two.mean()) / (spread / (len(one) + len(two) - 2)) ** 0.5)
