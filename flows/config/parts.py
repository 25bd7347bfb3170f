"""Where each piece of a rendered prompt comes from: its line, and the variables that it shows.

The parsed template is written again: what it puts out goes through a filter that notes which piece
it is. What a piece shows is read off the tree, by following names through loops and `set`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from jinja2 import Template, nodes, pass_context
from jinja2.runtime import Context

from flows.config.template import GLOBALS, TemplateEnvironment

# As the budget of a rendering: not names that a template can write.
NOTES: Final = " notes"
_NOTE: Final = "note "

Names = tuple[str, ...]
Scope = Mapping[str, Names]


@dataclass(frozen=True, slots=True)
class PromptPart:
    """A piece of a rendered prompt. `line` is where it stands in the template, from 1.

    `names` are the values that it shows, as the template's variables with dotted paths; the
    template's own text has none. What was made of a loop's item or by `set` is named by what the
    loop goes over, and by what was set.
    """

    text: str
    line: int
    names: Names = ()


class Pieces:
    """A template whose output can be told apart, made from a tree that was checked."""

    def __init__(self, tree: nodes.Template, jinja: TemplateEnvironment) -> None:
        self._places: list[tuple[int, Names]] = []
        for output, scope in _outputs(tree.body, {}):
            output.nodes = [self._noted(each, scope, jinja) for each in output.nodes]
        jinja.filters[_NOTE] = _note
        self.template: Template = jinja.from_string(tree)

    def _noted(self, piece: nodes.Expr, scope: Scope, jinja: TemplateEnvironment) -> nodes.Expr:
        number = nodes.Const(len(self._places), lineno=piece.lineno)
        self._places.append((piece.lineno, _names(piece, scope)))
        noted = nodes.Filter(piece, _NOTE, [number], [], None, None, lineno=piece.lineno)
        noted.set_environment(jinja)
        return noted

    def part(self, text: str, notes: list[int]) -> PromptPart:
        """The part of one text that the template gave, and of the pieces noted since the last.

        It is one piece, but for a recursive loop: that gives its text in one, and so is one part.
        """
        places = [self._places[number] for number in notes]
        names = dict.fromkeys(name for _, shown in places for name in shown)
        return PromptPart(text, min(line for line, _ in places), tuple(names))


@pass_context
def _note(context: Context, value: Any, number: int) -> Any:
    """The value as it is: a template with notes gives the very text of one without."""
    notes: list[int] = context[NOTES]
    notes.append(number)
    return value


def _outputs(
    body: Iterable[nodes.Node], scope: dict[str, Names]
) -> Iterator[tuple[nodes.Output, Scope]]:
    """Each output below, with what the names that the template sets stand for there.

    `scope` is changed by `set`.
    """
    for node in body:
        match node:
            case nodes.Output():
                yield node, dict(scope)
            case nodes.Assign():
                scope.update(_bound(node.target, _names(node.node, scope)))
            case nodes.If():
                yield from _branches(node, scope)
            case nodes.For():
                looped = _names(node.iter, scope)
                inner = {**scope, **_bound(node.target, looped), "loop": looped}
                yield from _outputs(node.body, inner)
                yield from _outputs(node.else_, dict(scope))
            case nodes.With():
                pairs = zip(node.targets, node.values, strict=True)
                inner = dict(scope)
                for target, value in pairs:
                    inner.update(_bound(target, _names(value, scope)))
                yield from _outputs(node.body, inner)
            case nodes.Block():
                yield from _outputs(node.iter_child_nodes(), dict(scope))
            case _:
                yield from _outputs(node.iter_child_nodes(), scope)


def _branches(node: nodes.If, scope: dict[str, Names]) -> Iterator[tuple[nodes.Output, Scope]]:
    """The outputs of a choice. After it a name stands for all that it may have been set to."""
    ends: list[dict[str, Names]] = []
    for branch in (node.body, *(each.body for each in node.elif_), node.else_):
        inner = dict(scope)
        yield from _outputs(branch, inner)
        ends.append(inner)
    for name in {name for end in ends for name in end}:
        either = (each for end in ends for each in end.get(name, (name,)))
        scope[name] = tuple(dict.fromkeys(either))


def _bound(target: nodes.Node, names: Names) -> dict[str, Names]:
    stored = [target] if isinstance(target, nodes.Name) else target.find_all(nodes.Name)
    return {each.name: names for each in stored}


def _names(node: nodes.Node, scope: Scope) -> Names:
    """The values that an expression uses, in the order in which they stand in it, each once."""
    return tuple(dict.fromkeys(_used(node, scope)))


def _used(node: nodes.Node, scope: Scope) -> Iterator[str]:
    path = _path(node)
    if path:
        root = path[0]
        if root in scope:
            yield from scope[root]
        elif root not in GLOBALS:
            yield ".".join(path)
        return
    called = node.node if isinstance(node, nodes.Call) else None
    for child in node.iter_child_nodes():
        if child is called and isinstance(child, nodes.Getattr):
            child = child.node  # a method's name is no part of the value's path
        yield from _used(child, scope)


def _path(node: nodes.Node) -> list[str]:
    """The name and the keys of a plain access such as `a.b["c"][0]`; empty for anything else."""
    match node:
        case nodes.Name():
            return [node.name]
        case nodes.Getattr():
            key = node.attr
        case nodes.Getitem(arg=nodes.Const(value=str() | int() as value)):
            key = str(value)
        case _:
            return []
    above = _path(node.node)
    return [*above, key] if above else []
