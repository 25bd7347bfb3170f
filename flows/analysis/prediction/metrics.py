"""The measures that predictions are judged by: their names, direction, and what they want."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from pydantic import BaseModel, ConfigDict

from flows.analysis.prediction.task import Kind, Predicted
from flows.errors import UsageError, nearest

_CLASSES: Final[tuple[Kind, ...]] = ("binary", "multiclass")
_NUMBERS: Final[tuple[Kind, ...]] = ("regression",)
_TWO: Final[tuple[Kind, ...]] = ("binary",)
_OWN = "metric"


class PredictionMetric(BaseModel):
    """A measure of predictions.

    `aliases` are what task texts call it, in plain words: small letters, without marks. `wants` is
    what it is reckoned of: the predicted label, the probability of each class (of the second of two
    alone), or a number. `source` is the module of one's own, whose function `metric(truth,
    predicted)` reckons it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    title: str
    greater_is_better: bool
    kinds: tuple[Kind, ...]
    wants: Predicted
    aliases: tuple[str, ...] = ()
    source: str = ""


@dataclass(frozen=True, slots=True)
class MetricMention:
    """A metric that a text names, from `start` to `end` of the text."""

    start: int
    end: int
    metric: PredictionMetric


def _metric(
    name: str, title: str, greater: bool, kinds: tuple[Kind, ...], wants: Predicted, aliases: str
) -> PredictionMetric:
    words = tuple(filter(None, (" ".join(each.split()) for each in aliases.split(","))))
    return PredictionMetric(
        name=name,
        title=title,
        greater_is_better=greater,
        kinds=kinds,
        wants=wants,
        aliases=(*dict.fromkeys((_plain(name), _plain(title), *words)),),
    )


def _plain(text: str) -> str:
    """A text with one blank for each run of marks, in small letters: r² is r2."""
    folded = (
        text.casefold()
        .replace("²", "2")
        .replace("\u2019", "'")
        .replace("'s", "")
        .replace("ß", "ss")
    )
    return " ".join(re.sub(r"[\W_]+", " ", folded).split())


_ALL: Final = (
    _metric("accuracy", "accuracy", True, _CLASSES, "label", """
        classification accuracy, accuracy score, categorization accuracy, categorisation accuracy,
        percentage of correct predictions, share of correct predictions, proportion correct,
        percentage correct, percent correct, fraction of correct predictions,
        correctly classified, classification error, misclassification rate, error rate,
        genauigkeit, treffergenauigkeit, anteil richtiger vorhersagen,
        anteil der richtigen vorhersagen, anteil korrekter vorhersagen,
        anteil richtig vorhergesagter, korrektklassifikationsrate,
        percentage of rows you predict correctly, predict correctly, predicted correctly,
        labelled correctly, labeled correctly, classified correctly, correctly predicted,
        correctly predict, correctly classify, classify correctly
    """),
    _metric("balanced_accuracy", "balanced accuracy", True, _CLASSES, "label", """
        balanced accuracy score, bacc, bac, mean recall per class, average recall per class,
        mean per class recall, macro recall, macro averaged recall, unweighted average recall,
        uar, mean per class accuracy, average per class accuracy, ausgewogene genauigkeit,
        balancierte genauigkeit
    """),
    _metric("f1", "F1 score", True, _TWO, "label", """
        f1, f 1, f1 measure, f measure, f score, binary f1, f1 mass, f mass, f1 wert,
        harmonic mean of precision and recall
    """),
    _metric("f1_macro", "macro F1 score", True, _CLASSES, "label", """
        macro f1, f1 macro, macro averaged f1, macro average f1, macro averaged f1 score, mean f1,
        mean f1 score, average f1, averaged f1 score, macro f score, makro f1, macro f1 measure,
        f1 score macro, f1 score macro averaged, f1 macro averaged, f1 averaged over classes,
        f1 score averaged over classes, f1 score averaged over the classes, unweighted f1,
        makro gemittelter f1, makro f1 wert, macro f1 mean, average of the f1 scores,
        mean of the f1 scores, f1 scores of all classes
    """),
    _metric("f1_weighted", "weighted F1 score", True, _CLASSES, "label", """
        weighted f1, f1 weighted, weighted average f1, weighted averaged f1, support weighted f1,
        weighted f1 measure, f1 score weighted, gewichteter f1
    """),
    _metric("f1_micro", "micro F1 score", True, _CLASSES, "label", """
        micro f1, f1 micro, micro averaged f1, micro average f1, micro averaged f1 score, mikro f1
    """),
    _metric("precision", "precision", True, _TWO, "label", """
        precision score, positive predictive value
    """),
    _metric("recall", "recall", True, _TWO, "label", """
        recall score, sensitivity, true positive rate
    """),
    _metric("mcc", "Matthews correlation coefficient", True, _CLASSES, "label", """
        matthew correlation coefficient, matthews correlation, matthews phi, phi coefficient,
        matthews korrelationskoeffizient, matthews
    """),
    _metric("kappa", "Cohen's kappa", True, _CLASSES, "label", """
        cohen kappa, kappa, kappa score, unweighted kappa, kappa statistic
    """),
    _metric("qwk", "quadratic weighted kappa", True, (*_CLASSES, "regression"), "label", """
        quadratically weighted kappa, quadratic kappa, weighted kappa quadratic,
        cohen kappa with quadratic weights, kappa with quadratic weights, quadratic cohen kappa,
        quadratic weighted cohen kappa, quadratically weighted cohen kappa,
        quadratisch gewichtetes kappa, quadratic weighted kappa score, weighted kappa
    """),
    _metric("auc", "area under the ROC curve", True, _TWO, "probability", """
        roc auc, auc roc, auroc, roc auc score, area under roc, area under roc curve,
        area under the curve, area under receiver operating characteristic curve,
        area under the receiver operating characteristic curve,
        area under the receiver operating characteristic, area under the receiver operating curve,
        area under curve, area under the roc, roc area under the curve, roc area under curve,
        auc score, fläche unter der roc kurve, fläche unter der kurve, c statistic,
        concordance index, receiver operating characteristic, roc score,
        receiver operating characteristic curve
    """),
    _metric(
        "auc_macro", "macro one-vs-rest area under ROC", True, _CLASSES, "probability", """
        macro auc, auc macro, multiclass auc, multi class auc, auc ovr, auc one vs rest, ovr auc,
        roc auc ovr, one vs rest auc, one versus rest auc, macro averaged auc, macro average auc,
        mean auc, average auc, macro roc auc, macro averaged roc auc, roc auc macro,
        mean column wise auc, mean columnwise auc, mean column wise roc auc, one vs rest roc auc,
        one versus rest roc auc, ovr roc auc, macro average roc auc, multiclass roc auc,
        multi class roc auc
    """),
    _metric("gini", "normalized Gini coefficient", True, _TWO, "probability", """
        gini, normalized gini, normalised gini, gini coefficient, normalised gini coefficient,
        gini score, normalized gini index, gini koeffizient
    """),
    _metric("average_precision", "average precision", True, _TWO, "probability", """
        pr auc, auc pr, auprc, area under the precision recall curve, average precision score,
        area under precision recall curve, aucpr, fläche unter der precision recall kurve
    """),
    _metric("log_loss", "log loss", False, _CLASSES, "probability", """
        logloss, logarithmic loss, cross entropy, cross entropy loss, binary cross entropy,
        categorical cross entropy, multi class log loss, multiclass log loss, multi class logloss,
        multiclass logloss, mlogloss, multi class logarithmic loss, multiclass logarithmic loss,
        negative log likelihood, logistic loss, kreuzentropie, logarithmischer verlust,
        multinomial log loss, mean log loss, binary log loss, neg log loss, log verlust
    """),
    _metric("brier", "Brier score", False, _TWO, "probability", """
        brier, brier loss, brier score loss
    """),
    _metric("rmse", "root mean squared error", False, _NUMBERS, "number", """
        root mean square error, root mean squared errors, root of the mean squared error,
        rms error, square root of the mean squared error, root mean square deviation, rmsd,
        root mean squared deviation, square root of the mean square error, root mse, neg rmse,
        wurzel des mittleren quadratischen fehlers, wurzel aus dem mittleren quadratischen fehler,
        wurzel der mittleren quadratischen abweichung,
        wurzel aus der mittleren quadratischen abweichung
    """),
    _metric("rmsle", "root mean squared logarithmic error", False, _NUMBERS, "number", """
        mean squared logarithmic error, msle, root mean squared log error,
        root mean square logarithmic error, root mean square log error, rms log error,
        root mean squared error of the logarithm, rmse of the log, log rmse,
        rmse of the logarithms, wurzel des mittleren quadratischen logarithmischen fehlers
    """),
    _metric("mse", "mean squared error", False, _NUMBERS, "number", """
        mean square error, average squared error, squared error, mittlerer quadratischer fehler,
        mittleren quadratischen fehler, mittlere quadratische abweichung, neg mse, l2 loss
    """),
    _metric("mae", "mean absolute error", False, _NUMBERS, "number", """
        average absolute error, mean absolute deviation, mean absolute difference, absolute error,
        average absolute deviation, mittlerer absoluter fehler, mittleren absoluten fehler,
        mittlere absolute abweichung, mittleren absoluten abweichung, l1 loss, neg mae,
        average absolute difference, durchschnittlicher absoluter fehler,
        durchschnittliche absolute abweichung
    """),
    _metric("medae", "median absolute error", False, _NUMBERS, "number", """
        median absolute deviation
    """),
    _metric("mape", "mean absolute percentage error", False, _NUMBERS, "number", """
        mean absolute percent error, average absolute percentage error, absolute percentage error,
        mean percentage error, mittlerer absoluter prozentualer fehler, mean relative error,
        mittlere absolute prozentuale abweichung, mittleren absoluten prozentualen fehler
    """),
    _metric("smape", "symmetric mean absolute percentage error", False, _NUMBERS, "number", """
        symmetric mape, symmetric mean absolute percent error, symmetric absolute percentage error
    """),
    _metric("r2", "R2", True, _NUMBERS, "number", """
        r 2, r squared, r square, r2 score, coefficient of determination, rsquared,
        bestimmtheitsmass, determinationskoeffizient
    """),
    _metric("pearson", "Pearson correlation", True, _NUMBERS, "number", """
        pearson correlation coefficient, pearson r, correlation coefficient, linear correlation,
        pearson, korrelationskoeffizient
    """),
    _metric("spearman", "Spearman rank correlation", True, _NUMBERS, "number", """
        spearman correlation, rank correlation, spearman rank correlation coefficient,
        spearman rho, spearman correlation coefficient, spearman, rangkorrelation
    """),
)  # fmt: skip
METRICS: Final[dict[str, PredictionMetric]] = {each.name: each for each in _ALL}
_DEFAULTS: Final[dict[Kind, str]] = {
    "regression": "rmse", "binary": "auc", "multiclass": "accuracy",
}  # fmt: skip
# The same words mean another measure where there are more than two classes.
_OF_MORE_CLASSES: Final = {"f1": "f1_macro", "auc": "auc_macro"}
_OF_TWO_CLASSES: Final = {"auc_macro": "auc"}


def find_metric(name: str) -> PredictionMetric:
    """The metric of a name or of one of its aliases. Errors: `UsageError` with what is allowed."""
    plain = _plain(name).replace(" ", "")
    if (found := _BY_ALIAS.get(plain)) is not None:
        return found
    meant = nearest(plain, _BY_ALIAS)
    hint = f"; did you mean {_BY_ALIAS[meant].name!r}?" if meant else ""
    raise UsageError(f"there is no metric {name!r}{hint} (metrics: {', '.join(METRICS)})")


def default_metric(kind: Kind) -> PredictionMetric:
    """What predictions of a kind are judged by where nobody says it."""
    return METRICS[_DEFAULTS[kind]]


def fitting(metric: PredictionMetric, kind: Kind) -> PredictionMetric | None:
    """The metric for a kind of task: of more than two classes F1 is the mean over them; None where
    it cannot be reckoned of such predictions."""
    if kind == "multiclass":
        metric = METRICS.get(_OF_MORE_CLASSES.get(metric.name, metric.name), metric)
    elif kind == "binary":
        metric = METRICS.get(_OF_TWO_CLASSES.get(metric.name, metric.name), metric)
    return metric if kind in metric.kinds else None


def find_mentions(text: str) -> list[MetricMention]:
    """The metrics that a text names, in its order. Of names that overlap the longest counts."""
    found: list[MetricMention] = []
    for match in _MENTION.finditer(text):
        plain = _plain(match[0]).replace(" ", "")
        metric = _BY_ALIAS.get(plain) or _BY_ALIAS.get(plain.removesuffix("s"))
        if metric is not None:
            found.append(MetricMention(match.start(), match.end(), metric))
    return found


def read_own_metric(name: str, source: str) -> PredictionMetric:
    """One's own metric: a Python module with `metric(truth, predicted) -> float`.

    Its docstring says what the metric is in its first sentence, and in lines of their own
    `Direction: lower` or `higher`, `Wants: label`, `probability` or `number`, and `Kinds:` with
    those that it is for. The source is read and not run. Errors: `UsageError`.
    """
    try:
        module = ast.parse(source)
    except SyntaxError as error:
        raise UsageError(f"metric {name!r}: line {error.lineno}: {error.msg}") from error
    functions = [each for each in module.body if isinstance(each, ast.FunctionDef)]
    own = next((each for each in functions if each.name == _OWN), None)
    if own is None or len(own.args.args) < 2:
        raise UsageError(f"metric {name!r}: it needs a function metric(truth, predicted) -> float")
    document = ast.get_docstring(module) or ast.get_docstring(own) or ""
    said = {key.casefold(): value.strip() for key, value in _SAID.findall(document)}
    direction = said.get("direction", "").casefold()
    if direction not in ("lower", "higher"):
        raise UsageError(
            f"metric {name!r}: its docstring needs a line `Direction: lower` or `Direction: higher`"
        )
    kinds = _own_kinds(name, said.get("kinds", ""))
    wants = said.get("wants", "").casefold() or ("number" if kinds == _NUMBERS else "label")
    title = re.split(r"(?<=\.)\s|\n", document.strip())[0].rstrip(".") or name
    return PredictionMetric(
        name=name,
        title=title,
        greater_is_better=direction == "higher",
        kinds=kinds,
        wants=_own_wants(name, wants),
        aliases=(_plain(name),),
        source=source,
    )


def _own_kinds(name: str, said: str) -> tuple[Kind, ...]:
    kinds: list[Kind] = []
    for word in filter(None, re.split(r"[,\s]+", said.casefold())):
        if word not in _DEFAULTS:
            raise UsageError(f"metric {name!r}: there is no kind {word!r} ({', '.join(_DEFAULTS)})")
        kinds += [each for each in _DEFAULTS if each == word]
    return tuple(kinds) or ("regression", *_CLASSES)


def _own_wants(name: str, said: str) -> Predicted:
    allowed: tuple[Predicted, ...] = ("label", "probability", "number")
    for each in allowed:
        if said == each:
            return each
    raise UsageError(f"metric {name!r}: it cannot want {said!r} (allowed: {', '.join(allowed)})")


def _spellings() -> Iterator[str]:
    """The aliases as patterns, longest first: between words may stand marks and blanks."""
    aliases = {alias for metric in _ALL for alias in metric.aliases}
    for alias in sorted(aliases, key=lambda each: (-len(each), each)):
        words = [re.escape(each).replace("ss", "(?:ss|ß)") for each in alias.split()]
        yield r"(?:'s|\u2019s)?[\W_]{0,3}".join(words)


_SAID: Final = re.compile(r"^\s*(Direction|Wants|Kinds):\s*(.+)$", re.MULTILINE | re.IGNORECASE)
_BY_ALIAS: Final[dict[str, PredictionMetric]] = {
    alias.replace(" ", ""): each for each in reversed(_ALL) for alias in each.aliases
}
# `R^2` and R² are written with a mark that other names have not.
_MENTION: Final = re.compile(
    r"(?<![\w])(?:r\s?(?:\^|\*\*)?\s?[2²]|" + "|".join(_spellings()) + r")s?(?![\w])",
    re.IGNORECASE,
)
