"""The prompts of a step in pieces, with where each piece comes from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from flows.config.prompts import Prompt
from flows.config.read import shown
from flows.explain.body_parts import PartOrigin, Piece
from flows.explain.containment import Path
from flows.explain.origins import Origins, ValueSource
from flows.explain.retrace import Retold, RetracedStep


class StepWording:
    """The prompts that a step was asked with. `special` says where a value comes from that is no
    input of the step, and None for one that is."""

    def __init__(
        self,
        told: Retold,
        step: RetracedStep,
        special: Callable[[Path], PartOrigin | None] = lambda _: None,
    ) -> None:
        self.step = step
        self._origins = Origins(told)
        self._special = special
        self._known: dict[Path, PartOrigin] = {}
        self._files: dict[str, bool] = {}

    def pieces(self, prompt: Prompt, values: Mapping[str, Any]) -> list[Piece]:
        """A rendered prompt in pieces."""
        return [
            Piece(part.text, self._of_part(prompt, part.line, part.names))
            for part in prompt.parts(values)
        ]

    def of_value(self, name: str) -> PartOrigin:
        """Where an input of the step comes from, as its prompt names it, with a dotted path."""
        path = tuple(name.split("."))
        if (special := self._special(path)) is not None:
            return special
        held, path = self._reach(path)
        return self.of_input(path, held)

    def of_input(self, path: Path, held: Any) -> PartOrigin:
        """Where the value at a path of the step's inputs comes from."""
        if path not in self._known:
            source = self._origins.of_input(self.step, path, held)
            text = f"{'.'.join(path)}: {said_of(source)}"
            self._known[path] = PartOrigin(
                "value",
                text,
                variable=".".join(path),
                step=source.step.address if source.kind == "step" else "",
                key=".".join(source.path),
            )
        return self._known[path]

    def _of_part(self, prompt: Prompt, line: int, names: Sequence[str]) -> PartOrigin:
        """Where a part of a prompt comes from: its text, or the value that it shows."""
        file, changed = shown(prompt.source), self._changed(prompt)
        if not names:
            return PartOrigin("prompt", f"{prompt.source.name}:{line}", file, line, changed)
        found = [self.of_value(name) for name in names]
        return replace(
            found[0],
            text="; ".join(each.text for each in found),
            file=file,
            line=line,
            changed=changed,
            variable=", ".join(each.variable for each in found),
        )

    def _changed(self, prompt: Prompt) -> bool:
        if prompt.name not in self._files:
            self._files[prompt.name] = _is_changed(prompt)
        return self._files[prompt.name]

    def _reach(self, path: Path) -> tuple[Any, Path]:
        """The input at a dotted path, as far as it is one of keys."""
        value: Any = self.step.inputs.get(path[0])
        for number, key in enumerate(path[1:], 1):
            if not isinstance(value, Mapping) or key not in value:
                return value, path[:number]
            value = value[key]
        return value, path


def earlier_steps(told: Retold, step: RetracedStep) -> list[RetracedStep]:
    """The calls of the same flow that had come to their end before the step began."""
    return [
        each
        for each in told.steps.values()
        if each.flow is step.flow and each.outputs is not None and (each.ended or 0) < step.began
    ]


def role_of(step: RetracedStep) -> PartOrigin:
    """Where the role of a request comes from."""
    return PartOrigin("config", f"the role of {step.flow.path or step.flow.name}", key="role")


def said_of(source: ValueSource) -> str:
    """What holds a value, in a few words."""
    key = ".".join(source.path)
    if source.kind == "input":
        return f"the run's input {key}"
    if source.kind == "composite":
        return f"given by {source.step.address or source.step.flow.name} itself"
    return f"from {source.step.address}.{key}" if source.step.address else f"from {key}"


def _is_changed(prompt: Prompt) -> bool:
    """Whether the prompt's file holds another text now, or is gone."""
    try:
        return prompt.source.read_text(encoding="utf-8") != prompt.text
    except (OSError, UnicodeDecodeError):
        return True
