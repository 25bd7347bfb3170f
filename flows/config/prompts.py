"""Prompts: Jinja files with their variables declared in the first line.

    {#- variables: goal, observation -#}

What is declared and what is used are compared when a file is loaded. Values are only ever text
that is put in; they are never read as a template.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path

from jinja2 import Template, TemplateSyntaxError, UndefinedError, nodes
from jinja2.exceptions import SecurityError, TemplateRuntimeError

from flows.config.composition import raise_all
from flows.config.limits import ConfigLimits
from flows.config.parts import NOTES, Pieces, PromptPart
from flows.config.read import read_text, shown
from flows.config.template import (
    GLOBALS,
    MOST_BYTES,
    STEPS,
    RenderSteps,
    TemplateEnvironment,
    check_template,
    environment,
)
from flows.errors import ConfigError, Place, nearest

ENDING = ".j2"
NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}")
HEADER = re.compile(r"\{#-?\s*variables:(?P<names>[^#]*?)-?#\}")
VARIABLE = re.compile(r"[A-Za-z_]\w*")
PROMPT_LIMITS = ConfigLimits()


@dataclass(frozen=True)
class Prompt:
    """A loaded template: the text of its file, and the SHA-256 of that as `digest`. `trims` says
    that the line break after a block is no text, as it is in the prompt files of ours."""

    name: str
    source: Path
    variables: frozenset[str]
    digest: str
    text: str = field(repr=False)
    template: Template = field(repr=False, compare=False)
    trims: bool = True

    @classmethod
    def from_text(
        cls, name: str, text: str, source: Path | None = None, *, trims: bool = True
    ) -> Prompt:
        """The prompt with this text. Raises ConfigError with the line, in `source` if it has one
        and else in the file that the prompt would be in."""
        base = name.removesuffix(ENDING)
        file = source or Path(f"{base}{ENDING}")
        origin = shown(file)
        declared = _declared(text, origin)
        with _syntax_told(origin):
            tree, jinja = _checked(text, origin, trims)
            template = jinja.from_string(tree)
            _compare(declared, _used(tree, jinja.outside), text, origin)
        digest = hashlib.sha256(text.encode()).hexdigest()
        return cls(base, file, frozenset(declared), digest, text, template, trims)

    @staticmethod
    def variables_of(text: str) -> frozenset[str]:
        """The variables that a template without a header uses. Errors: `ConfigError`."""
        with _syntax_told("the template"):
            tree, jinja = _checked(text, "the template")
            jinja.from_string(tree)  # which tells what comes from outside
            return frozenset(_used(tree, jinja.outside))

    def render(self, values: Mapping[str, object]) -> str:
        """The text with the declared variables put in; further values are left out."""
        return "".join(self._texts(self.template, values, {}))

    def with_text(self, texts: Mapping[str, str]) -> Prompt:
        """The prompt with the text that `texts` have under the name of its file, if they do."""
        text = texts.get(self.source.name, self.text)
        return (
            self
            if text == self.text
            else Prompt.from_text(self.name, text, self.source, trims=self.trims)
        )

    def parts(self, values: Mapping[str, object]) -> tuple[PromptPart, ...]:
        """The text of `render` in pieces, without empty ones, each with where it comes from."""
        notes: list[int] = []
        found: list[PromptPart] = []
        for text in self._texts(self._pieces.template, values, {NOTES: notes}):
            if text:
                found.append(self._pieces.part(text, notes))
            notes.clear()
        return tuple(found)

    @cached_property
    def _pieces(self) -> Pieces:
        origin = shown(self.source)
        with _syntax_told(origin):
            return Pieces(*_checked(self.text, origin, self.trims))

    def _texts(
        self, template: Template, values: Mapping[str, object], more: Mapping[str, object]
    ) -> Iterator[str]:
        missing = sorted(self.variables - values.keys())
        if missing:
            problem = f"the prompt {self.name!r} was not given {', '.join(missing)}"
            raise ConfigError(problem, place=Place(shown(self.source), 1, 1))
        size = 0
        try:
            given = {name: values[name] for name in self.variables}
            for text in template.generate({**given, STEPS: RenderSteps(), **more}):
                size += len(text.encode("utf-8", "surrogatepass"))
                if size > MOST_BYTES:
                    raise SecurityError(f"the prompt is longer than {MOST_BYTES} bytes")
                yield text
        # A template can raise whatever the values that it is given raise.
        except Exception as error:
            raise self._failed(error) from error

    def _failed(self, error: Exception) -> ConfigError:
        line = _template_line(error)
        kinds = (UndefinedError, SecurityError, TemplateRuntimeError)
        reason = str(error) if isinstance(error, kinds) else f"{type(error).__name__}: {error}"
        problem = f"the prompt {self.name!r} cannot be rendered: {reason}"
        return ConfigError(problem, place=Place(shown(self.source), line, 1))


def _template_line(error: Exception) -> int:
    """The line of the template in which the error arose; Jinja rewrites the traceback."""
    line = 1
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == "<template>":
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def load_prompt(name: str, folders: Sequence[Path]) -> Prompt:
    """Load `NAME.j2` from the first folder that has it. Raises ConfigError with file and line."""
    if not NAME.fullmatch(name) or ".." in name:
        raise ConfigError(f"{name!r} is not the name of a prompt: no folders, no `..`")
    base = name.removesuffix(ENDING)
    for folder in folders:
        file = folder / f"{base}{ENDING}"
        if file.is_file():
            return _compiled(base, read_text(file, PROMPT_LIMITS), file)
    known = sorted({file.stem for folder in folders for file in folder.glob(f"*{ENDING}")})
    problem = f"there is no prompt {base!r} in {', '.join(shown(each) for each in folders)}"
    raise ConfigError(problem, allowed=known, meant=nearest(base, known))


def load_prompts(names: Mapping[str, str | None], folders: Sequence[Path]) -> dict[str, Prompt]:
    """The prompts by the keys of a config that name them, without those that name none. Errors:
    `ConfigError` for one that cannot be loaded, `CheckError` for several, with their keys."""
    found: dict[str, Prompt] = {}
    faults: list[ConfigError] = []
    for key, name in names.items():
        try:
            if name:
                found[key] = load_prompt(name, folders)
        except ConfigError as error:
            if error.place is None:
                error.path = key
            faults.append(error)
    raise_all(faults)
    return found


@lru_cache(maxsize=256)
def _compiled(base: str, text: str, file: Path) -> Prompt:
    """The prompt, compiled once for all the flows that use it."""
    return Prompt.from_text(base, text, file)


def _checked(
    text: str, origin: str, trims: bool = True
) -> tuple[nodes.Template, TemplateEnvironment]:
    """The template's tree, which does only what a prompt may do, and what makes it a template."""
    jinja = environment(trims=trims)
    tree = jinja.parse(text)
    check_template(tree, origin)
    return tree, jinja


@contextmanager
def _syntax_told(origin: str) -> Iterator[None]:
    try:
        yield
    except TemplateSyntaxError as error:
        raise ConfigError(str(error.message), place=Place(origin, error.lineno, 1)) from error
    except (RecursionError, SyntaxError) as error:  # Python has limits for what Jinja writes
        raise ConfigError("the template nests too deeply", place=Place(origin, 1, 1)) from error


def _declared(text: str, origin: str) -> dict[str, int]:
    """The variables of the header, with their columns."""
    header = HEADER.match(text)
    if header is None or "\n" in header.group():
        problem = "the first line must declare the variables: {#- variables: a, b -#}"
        raise ConfigError(problem, place=Place(origin, 1, 1))
    declared: dict[str, int] = {}
    column = header.start("names") + 1
    for part in header["names"].split(","):
        name = part.strip()
        at = column + len(part) - len(part.lstrip())
        column += len(part) + 1
        if not name and not header["names"].strip():
            continue
        if not VARIABLE.fullmatch(name):
            raise ConfigError(f"{name!r} is not a variable's name", place=Place(origin, 1, at))
        if name in declared:
            raise ConfigError(f"{name!r} is declared twice", place=Place(origin, 1, at))
        declared[name] = at
    return declared


def _used(tree: nodes.Template, names: Set[str]) -> dict[str, int]:
    """The variables among the names from outside, with the first line of each."""
    outside = names - GLOBALS
    lines: dict[str, int] = {}
    for each in tree.find_all(nodes.Name):
        if each.name in outside:
            lines[each.name] = min(each.lineno, lines.get(each.name, each.lineno))
    return lines


def _compare(declared: Mapping[str, int], used: Mapping[str, int], text: str, origin: str) -> None:
    for name, line in sorted(used.items(), key=lambda item: item[1]):
        if name not in declared:
            problem = f"the variable {name!r} is used but not declared in the first line"
            column = _column(text, line, name)
            raise ConfigError(
                problem,
                place=Place(origin, line, column),
                allowed=tuple(declared),
                meant=nearest(name, declared),
            )
    for name, column in declared.items():
        if name not in used:
            problem = f"the variable {name!r} is declared but not used"
            meant = nearest(name, used)
            raise ConfigError(problem, place=Place(origin, 1, column), meant=meant)


def _column(text: str, line: int, name: str) -> int:
    lines = text.split("\n")
    content = lines[line - 1] if line <= len(lines) else ""
    found = re.search(rf"\b{re.escape(name)}\b", content)
    return found.start() + 1 if found else 1
