"""Task texts over a table of unusual names, as the command answers them: each field against pandas
and scipy."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import train_test_split

from tests.cli.inside import inside

Fields = Mapping[str, Any]


def _data() -> pd.DataFrame:
    dice = np.random.default_rng(11)
    size = 240
    brisk = dice.integers(0, 6, size)
    zephal = dice.normal(50, 9, size).round(2)
    zephal[dice.choice(size, 31, replace=False)] = np.nan
    quorin = (np.nan_to_num(zephal, nan=50) * 1.5 + dice.normal(0, 4, size)).round(3)
    quorin[:3] = [400, 390, -250]
    return pd.DataFrame(
        {
            "Brisk": brisk,
            "Dorn": dice.integers(1, 9, size),
            "Zephal": zephal,
            "Quorin": quorin,
            "Sprouted": dice.integers(0, 2, size),
            "Mast": dice.choice(["ork", "plim", "tav"], size, p=[0.5, 0.3, 0.2]),
        }
    )


DATA = _data()


def _pair(first: str, second: str) -> pd.DataFrame:
    return DATA[[first, second]].dropna()


def _relation(data: pd.DataFrame) -> Fields:
    r, p = stats.pearsonr(data.iloc[:, 0], data.iloc[:, 1])
    kind = "none" if p >= 0.05 else "linear" if abs(r) >= 0.5 else "nonlinear"
    return {"correlation_coefficient": round(r, 2), "p_value": round(p, 4),
            "relationship_type": kind}  # fmt: skip


def _normality(column: str, decimals: int) -> tuple[float, float]:
    found = stats.shapiro(DATA[column].dropna())
    return round(found.statistic, decimals), round(found.pvalue, decimals)


def _far(column: str, reach: float) -> int:
    values = DATA[column].dropna()
    return int(((values - values.mean()).abs() > reach * values.std()).sum())


RULES = (
    "Constraints: Calculate the Pearson correlation coefficient. Use a two-tailed test with a "
    "significance level (alpha) of 0.05. Consider the relationship to be linear if the p-value is "
    "less than 0.05 and the absolute value of r is greater than or equal to 0.5. Consider the "
    "relationship to be nonlinear if the p-value is less than 0.05 and the absolute value of r is "
    "less than 0.5. If the p-value is greater than or equal to 0.05, consider that there is no "
    "significant correlation. Format: @correlation_coefficient[r_value] @p_value[p_value] "
    '@relationship_type[relationship_type] where "r_value" is a number between -1 and 1, rounded '
    'to two decimal places, where "p_value" is a number rounded to four decimal places, where '
    '"relationship_type" is a string that can either be "linear", "nonlinear", or "none".'
)

TASKS: list[tuple[str, Callable[[], Fields]]] = [
    ("Calculate the mean Quorin. | Constraints: Calculate the mean Quorin using the Python pandas' "
     "mean() function. Round off to two decimals. | Format: @mean_quorin[mean_quorin_value], where "
     "mean_quorin_value is a floating-point number rounded to two decimal places.",
     lambda: {"mean_quorin": round(DATA.Quorin.mean(), 2)}),
    ("What are the mean, median and standard deviation of the \"Zephal\" column? Round each to "
     "three decimals. Answer as @mean_zephal[x] @median_zephal[y] @std_zephal[z]",
     lambda: {"mean_zephal": round(DATA.Zephal.mean(), 3),
              "median_zephal": round(DATA.Zephal.median(), 3),
              "std_zephal": round(DATA.Zephal.std(), 3)}),
    ("Calculate the average Quorin. Format: @mean[x] @skewness[y] @largest[z], each with 4 "
     "decimals",
     lambda: {"mean": round(DATA.Quorin.mean(), 4), "skewness": round(DATA.Quorin.skew(), 4),
              "largest": round(DATA.Quorin.max(), 4)}),
    ("Calculate the standard deviation of Quorin. Use the population standard deviation. Round to "
     "two decimals. @std_quorin[value]",
     lambda: {"std_quorin": round(DATA.Quorin.std(ddof=0), 2)}),
    ("Calculate the standard deviation of Quorin. Use the sample standard deviation. Round to two "
     "decimals. @std_quorin[value]",
     lambda: {"std_quorin": round(DATA.Quorin.std(ddof=1), 2)}),
    ("Calculate the standard deviation of Quorin with numpy's std() function. @std_quorin[value], "
     "3 decimals",
     lambda: {"std_quorin": round(float(np.std(DATA.Quorin)), 3)}),
    ("How many missing values are there in each column? @missing_zephal[n] @missing_quorin[n]",
     lambda: {"missing_zephal": 31, "missing_quorin": 0}),
    ("What percentage of the Zephal values are missing? @missing_percentage[x], one decimal",
     lambda: {"missing_percentage": round(100 * 31 / 240, 1)}),
    ("Calculate the mean Quorin for each Mast. @mean_ork[a] @mean_tav[b] where both are rounded to "
     "the nearest hundredth",
     lambda: {"mean_ork": round(DATA[DATA.Mast == "ork"].Quorin.mean(), 2),
              "mean_tav": round(DATA[DATA.Mast == "tav"].Quorin.mean(), 2)}),
    (f"Is there a linear relationship between Zephal and Quorin? {RULES}",
     lambda: _relation(_pair("Zephal", "Quorin"))),
    (f"Is there a linear relationship between Brisk and Dorn? {RULES}",
     lambda: _relation(_pair("Brisk", "Dorn"))),
    ("Is there a correlation between Brisk and Zephal? Use the Spearman coefficient. @r[value] "
     "rounded to 3 decimals",
     lambda: {"r": round(stats.spearmanr(*_pair("Brisk", "Zephal").T.to_numpy()).statistic, 3)}),
    ("Check if the distribution of Zephal is normal. Constraints: Use the Shapiro-Wilk test with a "
     "significance level of 0.05. Format: @is_normal[yes/no] @p_value[p], rounded to three "
     "decimals",
     lambda: {"is_normal": "yes" if _normality("Zephal", 9)[1] >= 0.05 else "no",
              "p_value": _normality("Zephal", 3)[1]}),
    ("Check whether the Quorin column follows a normal distribution using the Shapiro-Wilk test. "
     "If the p-value is less than 0.01, the distribution is not normal; otherwise it is normal. "
     'Format: @normality[result] @statistic[w] where result is either "normal" or "not normal", '
     "where w is rounded to 2 decimals",
     lambda: {"normality": "not normal", "statistic": _normality("Quorin", 2)[0]}),
    ("Check if Quorin is normally distributed by the Shapiro-Wilk test. "
     "@null_hypothesis[reject/fail to reject]",
     lambda: {"null_hypothesis": "reject"}),
    ("Is there a correlation between Zephal and Quorin? It is non-linear if |r| < 0.99 and p < "
     "0.05, linear if |r| >= 0.99 and p < 0.05. @kind[linear/nonlinear/none]",
     lambda: {"kind": "nonlinear"}),
    ("Identify the outliers in the Quorin column using the z-score method. Constraints: Use a "
     "z-score threshold of 2. Format: @outlier_count[n] where n is an integer.",
     lambda: {"outlier_count": _far("Quorin", 2)}),
    ("Identify the outliers in Quorin by the z-score rule (threshold 3). @outliers[n]",
     lambda: {"outliers": _far("Quorin", 3)}),
    ("Create a column Total = Brisk + 2 * Dorn, then calculate the median of Total. "
     "@median_total[x]",
     lambda: {"median_total": (DATA.Brisk + 2 * DATA.Dorn).median()}),
    ('Generate a new feature called "BriskDorn" by summing the "Brisk" and "Dorn" columns. Then, '
     'calculate the Pearson correlation coefficient (r) between the "BriskDorn" and "Quorin" '
     "columns. Constraints: Do not perform any further data cleaning or preprocessing steps. "
     "Format: @r[r_value], rounded to two decimals",
     lambda: {"r": round(stats.pearsonr(DATA.Brisk + DATA.Dorn, DATA.Quorin).statistic, 2)}),
    ("Impute missing values in Zephal with the median. Then calculate the mean of Zephal. "
     "@mean_zephal[x], 3 decimals",
     lambda: {"mean_zephal": round(DATA.Zephal.fillna(DATA.Zephal.median()).mean(), 3)}),
    ("Group Zephal in Slim (<40), Stout (40-60), Vast (60+), then the mean Quorin in each. "
     "@mean_quorin_slim[a] @mean_quorin_stout[b] @mean_quorin_vast[c] rounded to two decimals",
     lambda: {"mean_quorin_slim": round(DATA[DATA.Zephal < 40].Quorin.mean(), 2),
              "mean_quorin_stout": round(DATA[DATA.Zephal.between(40, 60)].Quorin.mean(), 2),
              "mean_quorin_vast": round(DATA[DATA.Zephal >= 60].Quorin.mean(), 2)}),
    ("Categorize Dorn into two groups: 'few' (less than 4) and 'many' (4 and above). Calculate the "
     "median and maximum Quorin for each group. @few_median[x] @many_max[y]",
     lambda: {"few_median": DATA[DATA.Dorn < 4].Quorin.median(),
              "many_max": DATA[DATA.Dorn >= 4].Quorin.max()}),
    ("Calculate the sprouting rate for each Mast. @sprouting_rate_plim[x] as a percentage rounded "
     "to 1 decimal",
     lambda: {"sprouting_rate_plim":
              round(100 * DATA[DATA.Mast == "plim"].Sprouted.mean(), 1)}),
    ("Calculate the average Quorin for ork and plim. @average_ork[x] @average_plim[y] two decimals",
     lambda: {"average_ork": round(DATA[DATA.Mast == "ork"].Quorin.mean(), 2),
              "average_plim": round(DATA[DATA.Mast == "plim"].Quorin.mean(), 2)}),
    ("What is the mean of Quorin and the mean of Dorn? @mean_quorin[x] @mean_dorn[y]",
     lambda: {"mean_quorin": DATA.Quorin.mean(), "mean_dorn": DATA.Dorn.mean()}),
    ("Calculate the mean Quorin. Only consider rows where Dorn is greater than 4. @mean_quorin[x]",
     lambda: {"mean_quorin": DATA[DATA.Dorn > 4].Quorin.mean()}),
    ("Identify the outliers in Quorin. Constraints: z-scores greater than 2.5 or less than -2.5 "
     "are considered outliers. @outlier_count[n]",
     lambda: {"outlier_count": _far("Quorin", 2.5)}),
    ("Calculate the mean of Zephal. Then how many missing values are in Zephal? @mean_zephal[x] "
     "@missing_zephal[y] Round to one decimal.",
     lambda: {"mean_zephal": round(DATA.Zephal.mean(), 1), "missing_zephal": 31}),
]  # fmt: skip

# What nothing here honours or fills: never sure, and said.
UNSURE = [
    ("Calculate the mean Quorin. Use the logarithm of Quorin. @mean_quorin[x]", "constraint"),
    ("Calculate the mean Quorin. Constraints: Only use rows of the year 1987. @mean_quorin[x]",
     "constraint"),
    ("Calculate the mean Quorin. Use a significance level of 0.05. @mean_quorin[x]", "constraint"),
    ("Calculate the mean Quorin. Compute it by scipy.stats.gmean. @mean_quorin[x]", "constraint"),
    ("Calculate the skewness of Quorin. Use scipy.stats.skew. @skewness[x]", "constraint"),
    ("Is there a correlation between Brisk and Dorn? Report if they increase together. "
     "@tendency[increase/decrease]", "field"),
    ("Is there a correlation between Brisk and Dorn? Use a one-tailed test. @p_value[x]",
     "constraint"),
    ("Calculate the mean Quorin. @mean_quorin_of_plim[x]", "field"),
    ("Calculate the mean Quorin. @p_value[x]", "field"),
    ("Calculate the mean Quorin. @mean_quorin[x] @average_quorin_brisk[y]", "field"),
    ("Calculate the mean Quorin. Only use vorns that were sold at night. @mean_quorin[x]",
     "constraint"),
]  # fmt: skip


def _model_error(test: float, seed: int) -> float:
    parts = train_test_split(DATA[["Dorn"]], DATA["Brisk"], test_size=test, random_state=seed)
    model = LinearRegression().fit(parts[0], parts[2])
    return round(float(((parts[3] - model.predict(parts[1])) ** 2).mean()), 4)


TASKS += [
    ("Train a linear regression model to predict Brisk from Dorn and report its mean squared error "
     "on the test set. Split the data into 80% training and 20% testing with random state 5. Round "
     "to four decimals. Answer as @mse[mse].", lambda: {"mse": _model_error(0.2, 5)}),
    ("Encode Mast with label encoding and calculate its correlation with Brisk. Label codes follow "
     "the alphabetical order of the values. Use Pearson. Round to two decimals. Answer as "
     "@correlation[correlation].",
     lambda: {"correlation": round(
         float(DATA.Mast.astype("category").cat.codes.corr(DATA.Brisk)), 2)}),
    ("Calculate the mean of Zephal after imputation. Missing Zephal values should be replaced by "
     "0. Round to two decimals. Answer as @mean[mean].",
     lambda: {"mean": round(DATA.Zephal.fillna(0).mean(), 2)}),
    ("Identify the outliers in Zephal and count them. A value is an outlier if its absolute "
     "z-score is greater than 2. Answer as @outlier_count[outlier_count].",
     lambda: {"outlier_count": _far("Zephal", 2)}),
]  # fmt: skip


def _inside_fences(column: str) -> pd.Series:
    low, high = DATA[column].quantile([0.25, 0.75])
    far = 1.5 * (high - low)
    return DATA[column][DATA[column].between(low - far, high + far)]


def _scaled(column: str) -> pd.Series:
    return (DATA[column] - DATA[column].min()) / (DATA[column].max() - DATA[column].min())


TASKS += [
    ("Remove outliers from Quorin using the 1.5*IQR rule, then calculate the mean of Quorin. Round "
     "to two decimals. Answer as @mean[mean].",
     lambda: {"mean": round(_inside_fences("Quorin").mean(), 2)}),
    ("Apply min-max scaling to Quorin and calculate the mean of the scaled values. Round to four "
     "decimals. Answer as @scaled_mean[mean].",
     lambda: {"scaled_mean": round(_scaled("Quorin").mean(), 4)}),
]  # fmt: skip


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Any]:
    """What the command answers, by the text that was asked."""
    folder: Path = tmp_path_factory.mktemp("tasks")
    DATA.to_csv(folder / "vorns.csv", index=False)
    texts = [text for text, _ in (*TASKS, *UNSURE)]
    lines = [json.dumps({"id": str(at), "question": text}) for at, text in enumerate(texts)]
    (folder / "tasks.jsonl").write_text("\n".join(lines))
    # One process: each would start a sandbox and import its libraries.
    batch = ("--batch", "tasks.jsonl", "--json", "--processes", "1")
    ended = inside("ask", *batch, "--data", "vorns.csv", cwd=folder)
    found = [json.loads(line) for line in ended.out.splitlines()]
    return {texts[int(each["id"])]: each for each in found}


@pytest.mark.parametrize(("text", "expected"), TASKS, ids=range(len(TASKS)))
def test_the_fields_are_filled(
    text: str, expected: Callable[[], Fields], answers: Mapping[str, Any]
) -> None:
    answer, fields = answers[text], expected()
    assert list(answer["fields"]) == list(fields)
    for name, value in fields.items():
        wanted = value if isinstance(value, str) else pytest.approx(value, abs=1e-9)
        assert answer["fields"][name] == wanted, name
    assert answer["confidence"] > 0.5  # not that of a constraint that is not honoured
    assert not {"constraint", "field"} & {each["code"] for each in answer["warnings"]}


def test_the_answer_ends_with_the_form(answers: Mapping[str, Any]) -> None:
    last = answers[TASKS[1][0]]["answer"].splitlines()[-1]
    mean, middle, spread = DATA.Zephal.mean(), DATA.Zephal.median(), DATA.Zephal.std()
    assert (
        last == f"@mean_zephal[{mean:.3f}] @median_zephal[{middle:.3f}] @std_zephal[{spread:.3f}]"
    )


@pytest.mark.parametrize(("text", "code"), UNSURE, ids=range(len(UNSURE)))
def test_what_is_not_honoured_is_not_sure(text: str, code: str, answers: Mapping[str, Any]) -> None:
    answer = answers[text]
    assert answer["confidence"] < 0.4
    assert code in {each["code"] for each in answer["warnings"]}
