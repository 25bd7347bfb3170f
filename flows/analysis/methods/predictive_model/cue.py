"""What asks for models tested on unseen rows, and how the text is read."""

from __future__ import annotations

from flows.analysis.methods.arguments import Arguments
from flows.analysis.methods.method import Cue, MethodRequest, setting, words
from flows.analysis.methods.predictive_model.arguments import PredictiveModel
from flows.analysis.methods.supervised import EXPLAINING, explaining, with_classes
from flows.analysis.reading.reader import Unread


def _read(request: MethodRequest) -> Arguments | Unread:
    found = with_classes(request, explaining(request))
    if isinstance(found, Unread):
        return found
    return request.make(
        PredictiveModel, {**dict(found), "model": request.settings.get("model", "")}
    )


CUE = Cue(
    read=_read,
    words=r"(?:(?:train|build|fit|make|create|learn|develop) )(?:me )?(?:an? |the "
        r")?(?:(?:predictive|"
        r"machine[- ]learning|ml|prediction|good|simple|best) )*(?:model|classifier|predictor|"
        r"regressor)s?|(?:train|build|create|develop) (?:an? |the )?(?:regression|classification) "
        r"models?|classif(?:y|ication)(?: of)?|predictive models?|(?:train |fit |use )?(?:a "
        r")?random forests?|machine[- ]learning(?: "
        r"model)?|classifiers?|"
        r"how (?:well|accurately) (?:can|could|do|does|is|are)|cross[- ]?validat(?:ion|ed?|ing)|"
        r"(?:can|could) (?:we|you|one|i) (?:predict|classify)|"
        r"(?:on )?(?:unseen|held[- ]out|test|new) (?:data|rows|set)",
    noun=r"classifiers?|predictive models?|cross-validation",
    includes=words("regression feature_importance clustering"),
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
