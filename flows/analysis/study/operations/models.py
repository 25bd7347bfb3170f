"""What matters most for a column, and models that are tested on rows that they have not seen."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.reading.read import Unread
from flows.analysis.study.about import LISTED, about, more, names, over, text
from flows.analysis.study.operation import (
    Call,
    Operation,
    Request,
    Row,
    setting,
    words,
)
from flows.analysis.study.operations.explaining import EXPLAINING, explaining
from flows.analysis.study.operations.regression import read_regression
from flows.analysis.study.plan import Study


def _read_importance(request: Request) -> Study | Unread:
    named = [c for c in request.columns if c.name != request.target]
    if len(named) == 1 and not request.group and not request.says("importan|feature"):
        # `does A affect B`: one column has no order of importance, but a coefficient
        single = read_regression(request)
        if isinstance(single, Study):
            return single
    return explaining(request, "importance")


def _importance_calls(study: Study, _title: str) -> list[Call]:
    told = (study.target, list(study.columns), study.method == "classes")
    return [Call("result", "importance", told)]


def _say_importance(study: Study, rows: Sequence[Row], total: int) -> str:
    said = [f"{text(row, 'feature')}: {text(row, 'importance')}" for row in rows[:LISTED]]
    first = rows[0]
    target = f"{names([study.target])} best{about(study)}"
    kind = "the share it gets right" if study.method == "classes" else "R²"
    return (
        f"What explains {target}, by how much worse a random forest "
        f"gets without it{more(rows, total, LISTED, 'columns')}: {'; '.join(said)}. With all of "
        f"them its score on rows it has not seen is {text(first, 'score')} ({kind}; "
        f"{over(first)})."
    )


_THINGS = r"(?:features?|variables?|columns?|factors?|predictors?|attributes?|measurements?)"
IMPORTANCE = Operation(
    kind="importance",
    read=_read_importance,
    calls=_importance_calls,
    say=_say_importance,
    needs=("feature", "importance", "score", "rows"),
    words=(
        rf"(?:(?:feature|variable|column) )?importances?|(?:most )?important {_THINGS}|"
        r"(?:most )?important(?= (?:for|to|in|when)\b)|(?:key |main |biggest |strongest )?drivers?"
        r"(?= of)|(?:best |most )?(?:influences?|drives?|affects?|determines?|predictive(?: of)?)|"
        rf"best predictors?|best predicts?|predicts? best|{_THINGS} (?:matters?|counts?)(?: "
        rf"(?:the )?"
        r"most)?|matters? (?:the )?most|contributes? (?:the )?most(?: to)?"
    ),
    noun=r"feature importances?",
    includes=words("regression correlation"),
    around=EXPLAINING | words("important importance for predicting matter matters telling tell "
                               "apart main key driver drivers contribute"),
    explains=True,
)  # fmt: skip


# --- a model that is tested -----------------------------------------------------------------------


def _read_model(request: Request) -> Study | Unread:
    study = explaining(request, "model")
    rows = request.draft.schema.table.rows
    wrong = {"classes": "linear regression", "numbers": "logistic regression"}
    if isinstance(study, Study) and request.settings.get("model") == wrong[study.method]:
        return Unread(f"a {wrong[study.method]} cannot learn {study.target}")
    if isinstance(study, Study) and rows < 20:
        return Unread(f"{request.draft.schema.table.name} has {rows} rows, too few for a model "
                      f"that "
                      "is tested on rows it has not seen: it needs 20")  # fmt: skip
    return study


def _model_calls(study: Study, _title: str) -> list[Call]:
    told = (study.target, list(study.columns), study.method == "classes", study.setting("model"))
    return [Call("result", "learn", told)]


def _say_model(study: Study, rows: Sequence[Row], _total: int) -> str:
    first = rows[0]
    said = [
        f"{'R²' if row['metric'].value == 'R2' else text(row, 'metric')} {text(row, 'held_out')} "
        f"on "
        f"the held-out rows, {text(row, 'cross_validated')} in cross-validation (baseline "
        f"{text(row, 'baseline')})"
        for row in rows
    ]
    return (
        f"A {text(first, 'model')} predicts {names([study.target])}{about(study)} from "
        f"{text(first, 'columns')} columns; it learned from {text(first, 'learned_rows')} rows and "
        f"was tested on {text(first, 'held_out_rows')} that it had not seen: {'; '.join(said)}."
    )


MODEL = Operation(
    kind="model",
    read=_read_model,
    calls=_model_calls,
    say=_say_model,
    needs=("metric", "held_out", "cross_validated", "baseline", "model"),
    words=(
        r"(?:(?:train|build|fit|make|create|learn|develop) )(?:me )?(?:an? |the )?(?:(?:predictive|"
        r"machine[- ]learning|ml|prediction|good|simple|best) )*(?:model|classifier|predictor|"
        r"regressor)s?|classif(?:y|ication)(?: of)?|predictive models?|(?:train |fit |use )?(?:a "
        r")?random forests?|machine[- ]learning(?: "
        r"model)?|classifiers?|"
        r"how (?:well|accurately) (?:can|could|do|does|is|are)|cross[- ]?validat(?:ion|ed?|ing)|"
        r"(?:can|could) (?:we|you|one|i) (?:predict|classify)|"
        r"(?:on )?(?:unseen|held[- ]out|test|new) (?:data|rows|set)"
    ),
    noun=r"classifiers?|predictive models?|cross-validation",
    includes=words("regression importance clusters"),
    settings=(
        setting("tell", r",? *(?:and |that )?(?:tell|show|let|report|give|say|evaluate|"
                        r"measure)(?: (?:me|"
                r"us))?(?: know)?(?: (?:how (?:accurate|good|well)|its|the|their))?(?: (?:it|that|"
                r"this|"
                r"the model))?(?: (?:is|are|performs?|does|works?))?(?: (?:accuracy|precision|f1|"
                r"auc|"
                r"r2|rmse|mae|performance|metrics|score|and|,))*\W*$"),
        setting("tell", r"\bhow (?:well|accurately)\?"),
        *(setting("model", rf"(?:,? *\b(?:with|using|by|via|as) )?(?:an? )?\b{name}s?\b", name)
          for name in ("random forest", "logistic regression", "linear regression")),
    ),
    around=EXPLAINING | words(
        """model classifier accuracy f1 auc r2 rmse mae metrics performance measurements classify
        accurate accurately well with that unseen held-out cross-validation machine learning tell
        train build using and score new"""
    ),
    explains=True,
)  # fmt: skip
