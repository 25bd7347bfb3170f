"""What a prompt's template may do: read values, choose, repeat, and little else.

Jinja's sandbox closes the ways out to Python. This closes the ways to run or to write without
end: statements, methods and filters are those of a list, and loops take steps from a budget.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

from jinja2 import StrictUndefined, nodes, pass_context
from jinja2.compiler import CodeGenerator, Frame
from jinja2.exceptions import SecurityError
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment

from flows.errors import ConfigError, Place, nearest

MOST_BYTES = 4 * 1024 * 1024
MOST_STEPS = 100_000
MOST_INDENT = 40
# Where the budget of one rendering stands among its values: not a name that a template can write.
STEPS = " steps"
GLOBALS = frozenset({"range"})
METHODS = frozenset(
    {
        *("items", "keys", "values", "get"),
        *("strip", "lstrip", "rstrip", "lower", "upper", "title", "capitalize"),
        *("startswith", "endswith", "split", "splitlines"),
    }
)
FILTERS = frozenset(
    {
        *("abs", "capitalize", "count", "d", "default", "dictsort", "e", "escape", "first"),
        *("float", "groupby", "int", "items", "last", "length", "list", "lower", "map", "max"),
        *("min", "reject", "rejectattr", "reverse", "round", "select", "selectattr", "sort"),
        *("string", "sum", "title", "trim", "truncate", "unique", "upper", "wordcount"),
    }
)
REFUSED: dict[type[nodes.Node], str] = {
    nodes.Include: "a prompt is one file: include is not available",
    nodes.Import: "a prompt is one file: import is not available",
    nodes.FromImport: "a prompt is one file: import is not available",
    nodes.Extends: "a prompt is one file: extends is not available",
    nodes.Macro: "macros are not available in a prompt",
    nodes.CallBlock: "call blocks are not available in a prompt",
    nodes.FilterBlock: "filter blocks are not available in a prompt",
    nodes.AssignBlock: "set takes an expression in a prompt, not a block",
    nodes.EvalContextModifier: "autoescape is not available: a prompt is not HTML",
    nodes.Concat: "`~` is not available in a prompt: write {{ a }}{{ b }}",
    nodes.Pow: "powers are not available in a prompt",
}


class RenderSteps:
    """The loop steps that one rendering has left."""

    def __init__(self) -> None:
        self.left = MOST_STEPS

    def take(self, number: int) -> None:
        self.left -= number
        if self.left < 0:
            raise SecurityError(f"the loops of the prompt take more than {MOST_STEPS} steps")


class _Generator(CodeGenerator):
    """Writes a template as Python, and notes the names that it takes from outside."""

    def enter_frame(self, frame: Frame) -> None:
        super().enter_frame(frame)
        assert isinstance(self.environment, TemplateEnvironment)
        loads = frame.symbols.loads.values()
        self.environment.outside |= {name for how, name in loads if how == "resolve" and name}


class TemplateEnvironment(ImmutableSandboxedEnvironment):
    """Jinja's sandbox, in which operators cannot make long text out of short.

    `outside` are the names that its compiled template takes from outside.
    """

    code_generator_class = _Generator
    intercepted_binops = frozenset(("*", "%", "+"))

    def __init__(self, **options: Any) -> None:
        self.outside: set[str] = set()
        super().__init__(**options)

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        sized = [each for each in (left, right) if isinstance(each, (str, bytes, list, tuple))]
        if sized and operator in ("*", "%"):
            raise SecurityError(f"text and lists do not take `{operator}` in a prompt")
        if sum(len(each) for each in sized) > MOST_BYTES:
            raise SecurityError("the prompt is too long")
        return super().call_binop(context, operator, left, right)


def environment(*, trims: bool = True) -> TemplateEnvironment:
    """A fresh sandbox for one prompt: strict, with the filters and globals of the lists. `trims`
    takes the line break after a block away, and the spaces before it."""
    made = TemplateEnvironment(undefined=StrictUndefined, trim_blocks=trims, lstrip_blocks=trims)
    made.globals.clear()
    made.globals["range"] = _range
    own: dict[str, Callable[..., Any]] = {
        "indent": _indent,
        "join": _join,
        "replace": _replace,
        "tojson": _to_json,
        "counted ": _counted,
    }
    kept = {name: each for name, each in made.filters.items() if name in FILTERS}
    made.filters.clear()
    made.filters.update({**kept, **own})
    return made


def check_template(tree: nodes.Template, origin: str) -> None:
    """Raise for a statement, method or filter that is not on the lists; count the loops' steps."""
    held = list(tree.find_all(nodes.Node))  # one walk, which takes as long as parsing
    for kind, problem in REFUSED.items():
        for node in held:
            if isinstance(node, kind):
                raise ConfigError(problem, place=Place(origin, node.lineno, 1))
    calls = [each for each in held if isinstance(each, nodes.Call)]
    for call in calls:
        _check_call(call, origin)
    known = sorted({*FILTERS, "indent", "join", "replace", "tojson"})
    for used in (each for each in held if isinstance(each, nodes.Filter)):
        if used.name not in known:
            problem = f"there is no filter {used.name!r} in a prompt"
            place = Place(origin, used.lineno, 1)
            meant = nearest(used.name, known)
            raise ConfigError(problem, place=place, allowed=known, meant=meant)
    for loop in (each for each in held if isinstance(each, nodes.For)):
        loop.iter = _taking_steps(loop.iter, tree)
    for call in calls:
        if isinstance(call.node, nodes.Name) and call.node.name == "loop":
            call.args = [_taking_steps(each, tree) for each in call.args]


def _taking_steps(values: nodes.Node, tree: nodes.Template) -> nodes.Filter:
    """What a loop goes over, taken from the budget."""
    counted = nodes.Filter(values, "counted ", [], [], None, None, lineno=values.lineno)
    if tree.environment:
        counted.set_environment(tree.environment)
    return counted


def _check_call(call: nodes.Call, origin: str) -> None:
    called = call.node
    if isinstance(called, nodes.Name) and called.name in (*GLOBALS, "loop"):
        plain = not (call.kwargs or call.dyn_args or call.dyn_kwargs)
        if called.name != "loop" or plain:  # else what it goes over would not be counted
            return
    if isinstance(called, nodes.Getattr):
        of_loop = isinstance(called.node, nodes.Name) and called.node.name == "loop"
        if called.attr in METHODS or (of_loop and called.attr in ("cycle", "changed")):
            return
        problem = f"the method {called.attr!r} is not available in a prompt"
    else:
        problem = "this call is not available in a prompt"
    allowed = (*sorted(GLOBALS), *sorted(METHODS))
    raise ConfigError(problem, place=Place(origin, call.lineno, 1), allowed=allowed)


def _range(*arguments: int) -> range:
    numbers = range(*arguments)
    if len(numbers) > MOST_STEPS:
        raise SecurityError(f"a range of more than {MOST_STEPS} numbers")
    return numbers


@pass_context
def _counted(context: Context, values: Iterable[Any]) -> list[Any]:
    listed = list(values)
    steps = context[STEPS]
    assert isinstance(steps, RenderSteps)
    steps.take(len(listed))
    return listed


def _indent(text: object, width: int = 4, first: bool = False) -> str:
    if not 0 <= width <= MOST_INDENT:
        raise SecurityError(f"an indentation of more than {MOST_INDENT}")
    spaces = " " * width
    return (spaces if first else "") + str(text).replace("\n", "\n" + spaces)


def _join(values: Iterable[object], separator: object = "", attribute: str | None = None) -> str:
    given = (each[attribute] if isinstance(each, dict) else each for each in values)
    texts = [str(each) for each in (given if attribute else values)]
    between = str(separator)
    if sum(len(each) + len(between) for each in texts) > MOST_BYTES:
        raise SecurityError("the prompt is too long")
    return between.join(texts)


def _replace(text: object, old: str, new: str) -> str:
    found = str(text)
    if len(found) + found.count(old) * len(new) > MOST_BYTES:
        raise SecurityError("the prompt is too long")
    return found.replace(old, new)


def _to_json(value: object, indent: int | None = None) -> str:
    """JSON as a model reads it: not escaped for HTML."""
    if indent is not None and not 0 <= indent <= MOST_INDENT:
        raise SecurityError(f"an indentation of more than {MOST_INDENT}")
    return json.dumps(value, ensure_ascii=False, indent=indent, default=str)
