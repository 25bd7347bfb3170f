"""Task texts over data that travel with plotly and scikit-learn: each a question, constraints and
named fields, with the values that pandas, scipy and scikit-learn give them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from scipy import stats
from sklearn.linear_model import LinearRegression
from sklearn.metrics import mean_squared_error
from sklearn.model_selection import train_test_split
from task_data import DataSet

# So many data sets are asked each kind of task.
SETS_EACH: Final = 5


@dataclass(frozen=True)
class TaskCase:
    """A task text over one data set, with the values of its fields."""

    kind: str
    data: str
    question: str
    fields: Mapping[str, Any]


@dataclass(frozen=True)
class TaskWording:
    """A task before it is laid out: `where` says of each field what it holds."""

    question: str
    constraints: tuple[str, ...]
    fields: Mapping[str, Any]
    where: str = ""


def _mean(data: DataSet, way: int) -> TaskWording:
    value = data.frame[data.gaps].mean()
    question = (
        f"Calculate the mean of the {data.gaps} column.",
        f"What is the average {data.gaps}?",
        f'Find the mean value of "{data.gaps}" in the dataset.',
    )[way]
    rule = (
        "Only non-null values are to be included in the calculation.",
        "Ignore missing values.",
        "Null values should be excluded before computing the mean.",
    )[way]
    return TaskWording(question, (rule, "Round to two decimal places."),
                       {"mean_value": round(value, 2)}, "mean_value is a float")  # fmt: skip


def _summary(data: DataSet, way: int) -> TaskWording:
    values = data.frame[data.y]
    population = way == 1
    constraint = (
        "Use the sample standard deviation.",
        "Use the population standard deviation (ddof=0).",
        "The standard deviation is to be that of a sample (ddof=1).",
    )[way]
    question = (
        f"Calculate the mean, median and standard deviation of {data.y}.",
        f"Compute the mean, the median and the standard deviation for the {data.y} column.",
        f"Report mean, median and standard deviation of the column '{data.y}'.",
    )[way]
    fields = {
        "mean": round(values.mean(), 3),
        "median": round(values.median(), 3),
        "std_dev": round(values.std(ddof=0 if population else 1), 3),
    }
    return TaskWording(question, (constraint, "Round all values to three decimals."), fields)


def _filter(data: DataSet, way: int) -> TaskWording:
    limit = round(float(data.frame[data.x].median()), 1)
    kept = data.frame[data.frame[data.x] > limit]
    question = (
        f"What is the mean {data.y}, and how many rows are there?",
        f"Find the mean of {data.y} and the number of rows.",
        f"Calculate the average {data.y} and count the rows.",
    )[way]
    constraint = (
        f"Only consider rows where {data.x} is greater than {limit}.",
        f"Use only the rows with {data.x} > {limit}.",
        f"Filter the data to rows in which {data.x} exceeds {limit} before the calculation.",
    )[way]
    fields = {"mean": round(kept[data.y].mean(), 2), "row_count": len(kept)}
    return TaskWording(question, (constraint, "Round the mean to two decimal places."), fields,
                       "row_count is an integer")  # fmt: skip


def _correlation(data: DataSet, way: int) -> TaskWording:
    r, p = stats.pearsonr(data.frame[data.x], data.frame[data.y])
    rules = (
        ("Use a significance level (alpha) of 0.05.",
         "If the p-value is below 0.05 and |r| >= 0.5, the relationship is linear.",
         "If the p-value is below 0.05 and |r| < 0.5, the relationship is nonlinear.",
         "If the p-value is greater than or equal to 0.05, there is none."),
        ("Calculate the Pearson correlation coefficient and its two-tailed p-value.",
         "Call it linear if p < 0.05 and |r| >= 0.5, nonlinear if p < 0.05 and |r| < 0.5, "
         "otherwise none."),
        ("Use Pearson's r with alpha = 0.05.",
         "Consider the relationship linear if the p-value is less than 0.05 and the absolute value "
         "of r is at least 0.5; nonlinear if the p-value is less than 0.05 and the absolute value "
         "of r is below 0.5; none otherwise."),
    )[way]  # fmt: skip
    question = (
        f"Is there a linear relationship between {data.x} and {data.y}?",
        f"Determine the correlation between {data.x} and {data.y} and the type of relationship.",
        f"Assess how {data.x} and {data.y} are correlated.",
    )[way]
    kind = "none" if p >= 0.05 else "linear" if abs(r) >= 0.5 else "nonlinear"
    fields = {"correlation_coefficient": round(r, 2), "p_value": round(p, 4),
              "relationship_type": kind}  # fmt: skip
    return TaskWording(question, rules, fields,
                       "correlation_coefficient is rounded to two decimal places, where p_value is "
                       "rounded to four decimal places, where relationship_type is one of "
                       '"linear", "nonlinear" or "none"')  # fmt: skip


def _normality(data: DataSet, way: int) -> TaskWording:
    found = stats.shapiro(data.frame[data.y])
    question = (
        f"Check whether the {data.y} column follows a normal distribution.",
        f"Is {data.y} normally distributed?",
        f"Perform a Shapiro-Wilk test to see if {data.y} adheres to a normal distribution.",
    )[way]
    constraints = (
        ("Use the Shapiro-Wilk test with a significance level of 0.05.",),
        ("Shapiro-Wilk, alpha = 0.05.", "If p > 0.05 the data is normal, otherwise not normal."),
        ("Use a 5% significance level.",),
    )[way]
    choices = ("yes", "no") if way != 1 else ("normal", "not normal")
    fields = {"p_value": round(found.pvalue, 4),
              "is_normal": choices[0] if found.pvalue > 0.05 else choices[1]}  # fmt: skip
    return TaskWording(question, constraints, fields,
                       f'p_value is a number rounded to four decimals, where is_normal is either '
                       f'"{choices[0]}" or "{choices[1]}"')  # fmt: skip


def _fences(data: DataSet, way: int) -> TaskWording:
    values = data.frame[data.y]
    low, high = values.quantile([0.25, 0.75])
    reach = 1.5 * (high - low)
    inside = values[values.between(low - reach, high + reach)]
    question = (
        f"Identify the outliers in {data.y} and count them.",
        f"How many outliers does the {data.y} column have?",
        f"Remove the outliers of {data.y} and calculate the mean of the remaining {data.y}.",
    )[way]
    constraints = (
        ("Use the interquartile range (IQR) method.",
         "A value is an outlier if it is below Q1 - 1.5 * IQR or above Q3 + 1.5 * IQR."),
        ("Use the IQR method with a multiplier of 1.5.",),
        ("Outliers are values below Q1 - 1.5*IQR or above Q3 + 1.5*IQR.", "Round to 2 decimals."),
    )[way]  # fmt: skip
    fields = {"mean": round(inside.mean(), 2)} if way == 2 else {
        "outlier_count": len(values) - len(inside)}  # fmt: skip
    return TaskWording(question, constraints, fields)


def _far(data: DataSet, way: int) -> TaskWording:
    values = data.frame[data.x]
    scores = (values - values.mean()) / values.std()
    limit = (2, 3, 2.5)[way]
    kept = values[scores.abs() <= limit]
    question = (
        f"Count the outliers of {data.x} by z-score.",
        f"Detect outliers in {data.x} using the z-score method.",
        f"Remove rows that are outliers in {data.x} by z-score and give the mean {data.x} of those "
        "that remain.",
    )[way]
    constraints = (
        (f"A value is an outlier if its absolute z-score is greater than {limit}.",),
        (f"Use a threshold of {limit}.",),
        (f"Use a z-score threshold of {limit}.", "Round the mean to two decimals."),
    )[way]
    fields = {"mean": round(kept.mean(), 2)} if way == 2 else {
        "outlier_count": len(values) - len(kept)}  # fmt: skip
    return TaskWording(question, constraints, fields)


def _impute(data: DataSet, way: int) -> TaskWording:
    values = data.frame[data.gaps]
    filled = values.fillna((values.mean(), values.median(), 0)[way])
    question = f"Calculate the mean and standard deviation of {data.gaps} after imputation."
    constraint = (
        f"Impute missing values in {data.gaps} with the mean of the column.",
        f"Fill the missing values of {data.gaps} with the median.",
        f"Missing {data.gaps} values should be replaced by 0.",
    )[way]
    fields = {"mean": round(filled.mean(), 2), "std": round(filled.std(), 2)}
    return TaskWording(question, (constraint, "Use the sample standard deviation.",
                                  "Round to two decimals."), fields)  # fmt: skip


def _derive(data: DataSet, way: int) -> TaskWording:
    x, y = data.frame[data.x], data.frame[data.y]
    made = (x + y, x / y, x - y)[way]
    question = (
        f"Create a new column called Combined as the sum of {data.x} and {data.y}, then calculate "
        "its mean and maximum.",
        f"Add a feature named Combined = {data.x} / {data.y}. What are the mean and the maximum of "
        "Combined?",
        f'Generate a new column "Combined" by subtracting {data.y} from {data.x}. Calculate the '
        "mean and maximum of Combined.",
    )[way]
    return TaskWording(question, ("Round to three decimals.",),
                       {"mean": round(made.mean(), 3), "max": round(made.max(), 3)})  # fmt: skip


def _bins(data: DataSet, way: int) -> TaskWording:
    low, high = (round(float(each), 3) for each in data.frame[data.x].quantile([0.3, 0.7]))
    x = data.frame[data.x]
    parts = {"Low": x < low, "Middle": (x >= low) & (x < high), "High": x >= high}
    text = (
        f"Low (<{low}), Middle ({low} <= x < {high}) and High (>={high})",
        f"Low (below {low}), Middle ({low} <= x < {high}), High ({high} and above)",
        f"'Low' (< {low}), 'Middle' ({low} <= x < {high}), 'High' (>= {high})",
    )[way]
    question = (
        f"Group {data.x} into {text}. Calculate the mean {data.y} of each group.",
        f"Categorize the {data.x} column into three bins: {text}. What is the mean "
        f"{data.y} in each bin?",
        f"Create a new column 'Level' that categorizes {data.x} as {text}, and compute the mean "
        f"{data.y} for each level.",
    )[way]
    fields = {f"mean_{name.lower()}": round(data.frame.loc[rows, data.y].mean(), 2)
              for name, rows in parts.items()}  # fmt: skip
    return TaskWording(question, ("Round each mean to two decimals.",), fields)


def _groups(data: DataSet, way: int) -> TaskWording:
    means = data.frame.groupby(data.group)[data.y].mean().sort_values()
    question = (
        f"Which {data.group} has the highest mean {data.y}, and what is that mean?",
        f"Group the data by {data.group} and find the {data.group} with the highest average "
        f"{data.y}.",
        f"Calculate the mean {data.y} for each {data.group} and identify the {data.group} with the "
        "highest one.",
    )[way]
    fields = {"top_group": means.index[-1], "highest_mean": round(means.iloc[-1], 2)}
    return TaskWording(question, ("Round the mean to 2 decimal places.",), fields,
                       f"top_group is the name of the {data.group}")  # fmt: skip


def _encode(data: DataSet, way: int) -> TaskWording:
    codes = data.frame[data.group].astype("category").cat.codes
    r, _ = stats.pearsonr(codes, data.frame[data.y])
    question = (
        f"Encode {data.group} with label encoding and calculate its correlation with {data.y}.",
        f"What is the correlation between {data.group} and {data.y} after ordinal encoding of "
        f"{data.group}?",
        f"Calculate the Pearson correlation coefficient between {data.group} and {data.y}.",
    )[way]
    constraint = (
        "Label codes follow the alphabetical order of the values.",
        f"Use ordinal encoding for {data.group}, in alphabetical order starting at 0.",
        f"Convert {data.group} to numbers by label encoding in alphabetical order.",
    )[way]
    return TaskWording(question, (constraint, "Use Pearson.", "Round to two decimals."),
                       {"correlation": round(r, 2)})  # fmt: skip


def _split(data: DataSet, way: int) -> TaskWording:
    share, seed = ((0.2, 42), (0.3, 0), (0.25, 7))[way]
    parts = train_test_split(data.frame[[data.x]], data.frame[data.y], test_size=share,
                             random_state=seed)  # fmt: skip
    error = mean_squared_error(
        parts[3], LinearRegression().fit(parts[0], parts[2]).predict(parts[1])
    )
    question = (
        f"Train a linear regression model to predict {data.y} from {data.x} and report its mean "
        "squared error on the test set.",
        f"Fit a linear regression of {data.y} on {data.x}. What is the MSE on the held-out data?",
        f"Predict {data.y} with {data.x} by a linear regression and evaluate it by mean squared "
        "error.",
    )[way]
    constraint = (
        f"Split the data into {1 - share:.0%} training and {share:.0%} testing with random state "
        f"{seed}.",
        f"Use a train-test split with test_size={share} and random_state={seed}.",
        f"Use {share:.0%} of the rows for testing, with a random seed of {seed}.",
    )[way]
    return TaskWording(question, (constraint, "Round to four decimal places."),
                       {"mse": round(error, 4)})  # fmt: skip


def _test(data: DataSet, way: int) -> TaskWording:
    one, other = data.frame[data.group].value_counts().index[:2]
    sides = [data.frame.loc[data.frame[data.group] == each, data.y] for each in (one, other)]
    found = stats.ttest_ind(*sides, equal_var=way != 1)
    question = (
        f"Is the mean {data.y} significantly different between {data.group} {one} and {other}?",
        f"Compare the {data.y} of {data.group} {one} and {data.group} {other}.",
        f"Perform a t-test on {data.y} between the {data.group} groups {one} and {other}.",
    )[way]
    constraint = (
        "Use an independent two-sample t-test with equal variances and alpha = 0.05.",
        "Use Welch's t-test and a significance level of 0.05.",
        "Assume equal variances. Use a significance level (alpha) of 0.05.",
    )[way]
    fields = {"p_value": round(found.pvalue, 4),
              "significant": "yes" if found.pvalue < 0.05 else "no"}  # fmt: skip
    return TaskWording(
        question,
        (constraint,),
        fields,
        'p_value is rounded to four decimals, where significant is "yes" or "no"',
    )


def _missing(data: DataSet, way: int) -> TaskWording:
    values = data.frame[data.gaps]
    question = (
        f"How many missing values are there in {data.gaps}, and what percentage of the rows is "
        "that?",
        f"Calculate the number and the percentage of missing values in the {data.gaps} column.",
        f"Count the null values of {data.gaps} and give their percentage.",
    )[way]
    fields = {"missing_count": int(values.isna().sum()),
              "missing_percentage": round(values.isna().mean() * 100, 2)}  # fmt: skip
    return TaskWording(question, ("Round the percentage to two decimals.",), fields,
                       "missing_count is an integer")  # fmt: skip


KINDS: Final[Mapping[str, Callable[[DataSet, int], TaskWording]]] = {
    "mean": _mean, "summary": _summary, "filter": _filter, "correlation": _correlation,
    "normality": _normality, "outliers, IQR": _fences, "outliers, z": _far, "impute": _impute,
    "new column": _derive, "bins": _bins, "top group": _groups, "encode": _encode,
    "split": _split, "t-test": _test, "missing": _missing,
}  # fmt: skip
GROUPED: Final = ("top group", "encode", "t-test")


def cases(data: tuple[DataSet, ...]) -> Iterator[TaskCase]:
    """The task texts: each kind over five data sets in turn, in three wordings and four layouts."""
    for at, (kind, make) in enumerate(KINDS.items()):
        fit = [each for each in data if each.group or kind not in GROUPED]
        for n in range(SETS_EACH):
            home = fit[(at + n * 2 + n // 4) % len(fit)]
            wording = make(home, n % 3)
            yield TaskCase(kind, home.name, laid_out(wording, (at + n) % 4), wording.fields)


def laid_out(task: TaskWording, layout: int) -> str:
    """The text of a task: in labelled paragraphs, in one, as a list, or in lines."""
    fields = [f"@{name}[{name}]" for name in task.fields]
    where = f", where {task.where}" if task.where else ""
    constraints = " ".join(task.constraints)
    if layout == 0:
        return (f"Question: {task.question}\nConstraints: {constraints}\n"
                f"Format: {' '.join(fields)}{where}.")  # fmt: skip
    if layout == 1:
        return f"{task.question} {constraints} Answer as {', '.join(fields)}{where}."
    if layout == 2:
        listed = "\n".join(f"- {each}" for each in task.constraints)
        return (f"{task.question}\n\nConstraints:\n{listed}\n\nAnswer format:\n"
                f"{chr(10).join(fields)}{where}")  # fmt: skip
    return f"{task.question} | {constraints} | Return the result as {' '.join(fields)}{where}."
