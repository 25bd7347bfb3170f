"""The two doors: a request as English, and that English as a request."""

from __future__ import annotations

from typing import cast, get_args

from flows.analysis.parser.cursor import Cursor, ParseError, RowScope
from flows.analysis.parser.expressions import write_expression
from flows.analysis.parser.names import names_of
from flows.analysis.parser.predicates import write_predicate
from flows.analysis.parser.requests import Grammar, read_request, write_request
from flows.analysis.parser.tokens import tokenize
from flows.analysis.parser.writer import Writer
from flows.semantics.model import SemanticModel
from flows.semantics.query import Expression, Predicate
from flows.semantics.request import Request, Unparsed
from flows.semantics.tree import depth

# Parts in parts of a request: all that work on it go down its tree.
DEEPEST = 60
_GRAMMAR = Grammar()


def words(request: Request, model: SemanticModel) -> str:
    """A request as English that a person could have typed.

    `parse_exact` reads it back as an equal request over the same model. Names that could be taken
    for something else stand in backticks. `Unparsed` is told to people and not read back.
    """
    names = names_of(model)
    text = write_request(request, Writer(names, _GRAMMAR, _GRAMMAR))
    if isinstance(request, Unparsed) or parse_exact(text, model) == request:
        return text
    # Names that hold words of the language can hide whose rows are meant: then it is said.
    return write_request(request, Writer(names, _GRAMMAR, _GRAMMAR, explicit=True))


def phrase(node: Expression | Predicate, dataset: str, model: SemanticModel) -> str:
    """A part of a request as English, where the rows of a dataset are spoken of."""
    writer = Writer(names_of(model), _GRAMMAR, _GRAMMAR)
    writer.scope = RowScope(dataset, None, dataset)
    if isinstance(node, get_args(get_args(Predicate)[0])):
        return write_predicate(cast(Predicate, node), writer)
    return write_expression(cast(Expression, node), writer)


def parse_exact(text: str, model: SemanticModel) -> Request | None:
    """The one request that a text stands for by the grammar of `words`, with its synonyms.

    Every part says where its words stand. None where the text is not of this language, can be read
    in more than one way, or holds parts in parts deeper than anyone means them.
    """
    cursor = cursor_of(text, model)
    if cursor.is_done():
        return None
    try:
        request = read_request(cursor)
    except (ParseError, RecursionError):
        return None
    return request if cursor.is_done() and depth(request) <= DEEPEST else None


def cursor_of(text: str, model: SemanticModel) -> Cursor:
    """The beginning of a text that is read with the names of a model."""
    return Cursor(tokenize(text), names_of(model), _GRAMMAR)
