"""Which words of a question the parts of its request stand for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from flows.analysis.language.words import Token
from flows.analysis.linking.links import Link
from flows.semantics.node import Node, Span
from flows.semantics.query import Constant, FieldRef, Match, OneOf, Query


def with_spans(node: Any, tokens: Sequence[Token], links: Sequence[Link]) -> Any:
    """A request, or a part of one, with the places of the words that its names and values stand
    for. `links` say what words were taken for, by the places of their tokens."""
    if isinstance(node, tuple):
        return tuple(with_spans(each, tokens, links) for each in node)
    if not isinstance(node, Node):
        return node
    inner = {
        name: with_spans(value, tokens, links)
        for name, value in node.__dict__.items()
        if name != "spans" and isinstance(value, Node | tuple)
    }
    found = tuple(dict.fromkeys(_spans(node, tokens, links)))
    return node.model_copy(update={**inner, "spans": found} if found else inner)


def _spans(node: Node, tokens: Sequence[Token], links: Sequence[Link]) -> Iterator[Span]:
    for each in links:
        if _names(node, each) and each.start < each.end <= len(tokens):
            yield tokens[each.start].start, tokens[each.end - 1].end


def _names(node: Node, link: Link) -> bool:
    """Whether the words of a link name what a node stands for."""
    values = {value for _, value in link.values}
    if link.literal is not None:
        values.add(str(link.literal))
    if isinstance(node, FieldRef):
        return link.kind == "column" and node.field in link.columns
    if isinstance(node, Constant):
        return str(node.value) in values
    if isinstance(node, OneOf):
        return not values.isdisjoint(map(str, node.values))
    if isinstance(node, Match):
        return node.text in values
    return isinstance(node, Query) and link.kind == "table" and link.table == node.dataset
