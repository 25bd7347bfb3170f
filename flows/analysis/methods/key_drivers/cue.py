"""What asks for what drives a column, and how the text is read."""

from __future__ import annotations

from flows.analysis.methods.key_drivers.arguments import KeyDrivers
from flows.analysis.methods.method import Cue, Request, words
from flows.analysis.methods.supervised import EXPLAINING, explaining, with_classes
from flows.analysis.reading.draft import is_numeric
from flows.analysis.reading.read import Unread


def _read(request: Request) -> KeyDrivers | Unread:
    found = with_classes(request, explaining(request))
    if isinstance(found, Unread):
        return found
    numeric = request.says(r"\bnumer\w+ (?:\w+ )?(?:columns|variables|features|fields|attributes)")
    named = {each.name for each in request.columns}
    used = [c for c in found.fields if not numeric or c in named or is_numeric(request.of(c))]
    # A model of a column is not learned from what only says when.
    plain = [c for c in used if c in named or request.of(c).role != "time"] or used
    if not plain:
        return Unread(f"there is no other column of numbers that could explain {found.target}")
    return request.make(KeyDrivers, {**dict(found), "fields": tuple(plain)})


CUE = Cue(
    read=_read,
    around=EXPLAINING | words(
        """train model models modelling modeling build fit classifier classification regression
        regressor linear logistic random forest gradient boosting machine learning predictive
        predictor importance importances important most key main driver drivers driving drive
        feature features variables variable factors as with using from and the target columns
        accuracy metrics performance evaluate well good identify rank determine learn based
        strongest potential numerical numeric supervised"""
    ),
    explains=True,
)  # fmt: skip
