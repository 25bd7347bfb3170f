# ruff: noqa: E501
"""Task texts in many wordings. {target}, {id} and {f0} to {f2} stand for names of columns."""

from __future__ import annotations

from dataclasses import dataclass

from flows.analysis.prediction.task import Kind, Predicted


@dataclass(frozen=True)
class Wording:
    """A text, the tables beside it, and what a reader makes of them."""

    text: str
    world: str
    kind: Kind
    metric: str
    values: Predicted
    tables: str = "train test sample"


WORDINGS: dict[str, Wording] = {
    "kaggle like": Wording(
        """# Lamp failures

## Description
A maker of lamps wants to know which of them fail within a year. In this competition you predict
the probability of failure.

## Evaluation
Submissions are evaluated on area under the ROC curve between the predicted probability and the
observed target.

## Submission File
For each {id} in the test set, you must predict a probability for the {target} variable. The file
should contain a header and have the following format:

```
{id},{target}
1120,0.5
1121,0.5
```
""",
        "binary", "binary", "auc", "probability",
    ),
    "one sentence": Wording("Predict {target}. Metric: accuracy.", "binary", "binary", "accuracy",
                            "label", "train test"),
    "one sentence without test": Wording(
        "Please build a model that predicts {target} from the other columns; minimise the RMSE.",
        "regression", "regression", "rmse", "number", "train"),
    "quoted target": Wording(
        "The goal is to forecast `{target}` using {f0}, {f1} and {f2}. The score is the mean "
        "absolute error.", "regression", "regression", "mae", "number", "train"),
    "target after features": Wording(
        "Given {f0}, {f1} and {f2} of a parcel, estimate its {target}. We judge entries by R^2.",
        "regression", "regression", "r2", "number", "train"),
    "passive": Wording(
        "The column {target} is to be predicted. Entries are ranked by root mean squared "
        "logarithmic error (RMSLE).", "regression", "regression", "rmsle", "number", "train test"),
    "rmse of logs": Wording(
        "Evaluation\n\nSubmissions are evaluated on Root-Mean-Squared-Error (RMSE) between the "
        "logarithm of the predicted value and the logarithm of the observed {target}.\n",
        "regression", "regression", "rmsle", "number"),
    "list of facts": Wording(
        "* Target: {target}\n* Identifier: {id}\n* Metric: log loss\n* Files: train.csv, test.csv\n",
        "binary", "binary", "log_loss", "probability", "train test"),
    "table of facts": Wording(
        "| item | value |\n|---|---|\n| target column | {target} |\n| metric | F1 score |\n",
        "binary", "binary", "f1", "label", "train test"),
    "key and value": Wording(
        "title: Seven mills\ntarget: {target}\nid: {id}\nevaluation metric: balanced_accuracy\n",
        "several", "multiclass", "balanced_accuracy", "label", "train test"),
    "words for classes": Wording(
        "Classify every stone as amber, jade or onyx ({target}). Scoring is by macro-averaged F1.",
        "several", "multiclass", "f1_macro", "label", "train test"),
    "f1 of several classes": Wording(
        "Which {target} does a stone have? The F1 score decides.", "several", "multiclass",
        "f1_macro", "label"),
    "multi-class log loss": Wording(
        "You should give a probability for each {target}. The metric is multi-class logarithmic "
        "loss.", "several", "multiclass", "log_loss", "probability", "train test classes"),
    "classes shown by the sample alone": Wording(
        "Tell what {target} each stone has.", "several", "multiclass", "log_loss", "probability",
        "train test classes"),
    "yes and no": Wording(
        "Will it rain? Predict {target} (yes or no). Accuracy counts.", "words", "binary",
        "accuracy", "label"),
    "grades by kappa": Wording(
        "Essays have a {target} from 1 to 5. Your grades are compared with ours using the quadratic "
        "weighted kappa.", "grades", "multiclass", "qwk", "label"),
    "counts": Wording(
        "How many bikes are rented? Forecast the number {target}. Evaluation by MAPE.", "count",
        "regression", "mape", "number", "train test"),
    "few grades as numbers": Wording(
        "Predict {target}; predictions are scored with the mean absolute error.", "grades",
        "regression", "mae", "number", "train test"),
    "denied metric": Wording(
        "Predict {target}. Since classes are rare we do not use accuracy; entries are evaluated by "
        "the Matthews correlation coefficient.", "binary", "binary", "mcc", "label"),
    "instead of": Wording(
        "We score {target} by ROC AUC instead of log loss.", "binary", "binary", "auc",
        "probability", "train test"),
    "two metrics, one judged": Wording(
        "In a first study an accuracy of 81 % was reached.\n\n# Evaluation\n\nBrier score of the "
        "predicted probability of {target}.", "binary", "binary", "brier", "probability"),
    "no metric, numbers": Wording("Predict {target} for each row of test.", "regression",
                                  "regression", "rmse", "number"),
    "no metric, probability": Wording(
        "Give the probability that {target} is 1.", "binary", "binary", "auc", "probability",
        "train test"),
    "no metric, labels": Wording(
        "Your file must contain the predicted {target}, which is 0 or 1.", "binary", "binary",
        "accuracy", "label"),
    "no metric, several classes": Wording("What {target} is it?", "several", "multiclass",
                                          "accuracy", "label"),
    "no text": Wording("", "binary", "binary", "accuracy", "label"),
    "plain text with headings": Wording(
        "THE MILL PROBLEM\n\nBackground:\nMills grind grain.\n\nYour task:\nfor each mill in the "
        "test file predict {target}.\n\nEvaluation metric:\nroot mean squared error\n",
        "regression", "regression", "rmse", "number", "train test"),
    "regression with gini": Wording(
        "Submissions of {target} are evaluated using the Normalized Gini Coefficient.", "binary",
        "binary", "gini", "probability"),
    "formula": Wording(
        "Evaluation: the metric is RMSE = sqrt(mean((y - p)^2)), where y is the true {target}.",
        "regression", "regression", "rmse", "number", "train test"),
    "error rate": Wording(
        "Goal: assign each sample its {target}. Your score is the percentage of rows you predict "
        "correctly.", "several", "multiclass", "accuracy", "label"),
    "field table": Wording(
        "# Data\n\n| column | meaning |\n|:--|:--|\n| {id} | number of the row |\n| {f0} | width |\n"
        "| {target} | the target variable, what you predict |\n\n# Scoring\n\nCohen's kappa\n",
        "several", "multiclass", "kappa", "label", "train test"),
    "smape": Wording(
        "Forecasts of {target} are evaluated by SMAPE between forecasts and actual values.",
        "count", "regression", "smape", "number"),
    "german, short": Wording(
        "Sagen Sie {target} vorher. Bewertet wird nach dem mittleren absoluten Fehler.",
        "regression", "regression", "mae", "number", "train"),
    "german, verb at the end": Wording(
        "# Mühlen\n\n## Aufgabe\nFür jede Mühle soll anhand von {f0} und {f1} der Wert {target} "
        "vorhergesagt werden.\n\n## Bewertung\nGemessen wird die Wurzel der mittleren "
        "quadratischen Abweichung (RMSE).\n", "regression", "regression", "rmse", "number", "train"),
    "german, target variable": Wording(
        "Die Zielvariable ist {target}. Metrik: Fläche unter der ROC-Kurve. Abzugeben ist die "
        "Wahrscheinlichkeit.", "binary", "binary", "auc", "probability", "train test"),
    "german, classes": Wording(
        "Klassifizieren Sie jeden Stein nach {target}. Kriterium ist der Makro-F1-Wert.",
        "several", "multiclass", "f1_macro", "label"),
    "german, statt": Wording(
        "Statt der Genauigkeit wird die ausgewogene Genauigkeit (balanced accuracy) von {target} "
        "gewertet.", "several", "multiclass", "balanced_accuracy", "label"),
    "html as text": Wording(
        "## Overview\n\nPredict the {target} of insurance claims.\n\n## Evaluation\n\nItem | Value\n"
        "Metric | Mean squared error\n", "regression", "regression", "mse", "number"),
    "polite letter": Wording(
        "Dear analyst, attached you find our records. We would like you to find out what "
        "determines {target} and to predict it for the rows that we have not measured yet. Large "
        "errors hurt us more than small ones, so please use the root mean square error.",
        "regression", "regression", "rmse", "number", "train test"),
    "pr auc": Wording(
        "Detect {target}. Because positives are rare, the leaderboard is sorted by average "
        "precision (PR AUC).", "binary", "binary", "average_precision", "probability"),
    "remaining columns": Wording(
        'We are trying to understand {target}. Using the remaining columns as inputs, train a model whose predictions of it minimise mean squared error.',
        "regression", "regression", "mse", "number", "train"),
    "dependent variable": Wording(
        'Dependent variable: {target}\nIndependent variables: {f0}, {f1}, {f2}\nGoodness of fit: R-squared',
        "regression", "regression", "r2", "number", "train"),
    "formula of a model": Wording(
        '{target} ~ {f0} + {f1}. Please fit this and report the adjusted R2.',
        "regression", "regression", "r2", "number", "train"),
    "label is stored in": Wording(
        'The label is stored in column {target}; everything else describes the machine. AUC-ROC will be used for ranking participants.',
        "binary", "binary", "auc", "probability", "train"),
    "tell us": Wording(
        'Can {f0} and {f1} tell us {target}? We measure success by accuracy on unseen rows.',
        "words", "binary", "accuracy", "label", "train"),
    "one of three": Wording(
        "Your task is to assign one of three values of {target} to each observation. Scores are computed with scikit-learn's balanced_accuracy_score.",
        "several", "multiclass", "balanced_accuracy", "label", "train"),
    "small letter after a full stop": Wording(
        'For every {id}, we need an estimate of {target}. {f0} was measured in the field. Lower MAE is better.',
        "regression", "regression", "mae", "number", "train"),
    "input and output": Wording(
        'Input: {f0}, {f1}, {f2}\nOutput: {target}\nLoss: cross-entropy',
        "binary", "binary", "log_loss", "probability", "train"),
    "by means of": Wording(
        'Forecast of {target} by means of {f0}; competitors will be compared on RMSPE and MAE, the latter decides.',
        "regression", "regression", "mae", "number", "train"),
    "we do not know": Wording(
        'We know {f0}. We know {f1}. We do not know {target} for new pieces, and need it. Measure: root mean squared error.',
        "regression", "regression", "rmse", "number", "train"),
    "german, zu bestimmen": Wording(
        'Mit Hilfe der übrigen Spalten ist {target} zu bestimmen. Die Güte wird als R² angegeben.',
        "regression", "regression", "r2", "number", "train"),
    "german, Vorhersage von": Wording(
        'Aufgabe: Vorhersage von {target}\nBewertungsmetrik: Log Loss',
        "binary", "binary", "log_loss", "probability", "train"),
    "german, ob": Wording(
        'Bitte sagen Sie für jede Zeile voraus, ob {target} ja oder nein ist. Es zählt die Genauigkeit.',
        "words", "binary", "accuracy", "label", "train"),
    "german, Zielgröße": Wording(
        'Zielgröße: {target}. Kennung: {id}. Gütemaß: mittlerer absoluter prozentualer Fehler (MAPE).',
        "regression", "regression", "mape", "number", "train"),
    "y and X": Wording(
        'y = {target}\nX = {f0}, {f1}, {f2}\nscore = roc_auc',
        "binary", "binary", "auc", "probability", "train"),
    "json": Wording(
        '{{"target": "{target}", "id": "{id}", "metric": "rmse"}}',
        "regression", "regression", "rmse", "number", "train"),
    "yaml": Wording(
        'task:\n  target_column: {target}\n  id_column: {id}\n  metric: f1_macro\n',
        "several", "multiclass", "f1_macro", "label", "train"),
    "prizes and timeline": Wording(
        'Prizes: 1000 EUR.\nTimeline: ends in May.\n\nWe ask you to model {target}, the yearly output of a mill, from {f0} (its width), {f1} (its age) and {f2} (where it stands). Do not use {id}. Evaluation is done with the mean absolute percentage error on mills that you have not seen.',
        "regression", "regression", "mape", "number", "train"),
    "no accuracy please": Wording(
        'Explain and predict {target}. Please no accuracy; use recall-friendly F1.',
        "binary", "binary", "f1", "label", "train"),
    "how likely": Wording(
        'Rank the rows by how likely {target} equals 1. Quality = area under the precision-recall curve.',
        "binary", "binary", "average_precision", "probability", "train"),
    "latex": Wording(
        'The score of a submission is $\\sqrt{{\\frac{{1}}{{n}}\\sum (p_i-a_i)^2}}$, i.e. RMSE, for {target}.',
        "regression", "regression", "rmse", "number", "train"),
    "brackets": Wording(
        'The output variable (based on tests of the stone) is {target}. The score is accuracy; ties are broken by log loss.',
        "several", "multiclass", "accuracy", "label", "train"),
}  # fmt: skip
