"""Tasks as people read them: what a request asks for, in words that can be read again."""

from __future__ import annotations

from typing import Final

from flows.analysis.parser.exact import words
from flows.analysis.team.statement import is_contrast
from flows.semantics.model import SemanticModel
from flows.semantics.query import MetricRef, Query
from flows.semantics.request import Analysis, Argument, Chart, Request
from flows.semantics.tree import parts

# So many fields or figures are named where only the subject is to be said.
_NAMED: Final = 4


def title_of(request: Request, model: SemanticModel) -> str:
    """A task in a sentence."""
    said = _words(request, model)
    if isinstance(request, Chart):
        return f"Draw a {said}."
    if not isinstance(request, Query) or request.metrics or request.by:
        contrast = isinstance(request, Query) and is_contrast(request)
        return f"{'Compare' if contrast else 'Calculate'} the {said}."
    if request.show:
        return f"Get {said}."
    return f"Get all {said}." if said.startswith("rows of ") else f"Get all rows of {said}."


def insight_title_of(request: Request, model: SemanticModel) -> str:
    """A task of insights in a sentence, which names the subject of the result."""
    return f"Generate insights about the {_words(_subject(request), model)}."


def _words(request: Request, model: SemanticModel) -> str:
    """A request in words; where it names no metric, no field has to be told from one."""
    named = any(isinstance(each, MetricRef) for each in parts(request))
    return words(request, model if named else model.model_copy(update={"metrics": ()}))


def _subject(request: Request) -> Request:
    """A request with its target, or else its first fields or figures, alone."""
    if isinstance(request, Query):
        return request.model_copy(update={"metrics": request.metrics[:_NAMED]})
    if not isinstance(request, Analysis):
        return request
    target = request.values("target")
    fields = target or request.values("fields")[:_NAMED]
    group = [each for each in request.arguments if each.name == "group"]
    arguments = (Argument(name="fields", values=fields), *group) if fields else ()
    return request.model_copy(update={"arguments": arguments})
