"""Prompts that stand in the config, as aiflows' `JinjaPrompt`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from jinja2 import Undefined
from pydantic import BaseModel, ConfigDict, Field, field_validator

from flows.config.prompts import Prompt
from flows.core.flow import Problem
from flows.errors import PortError, nearest


class PromptTemplate(BaseModel):
    """A template, the inputs that it takes, and values that are fixed.

    An input comes before a fixed value of the same name, and line breaks are kept, as in aiflows.
    It does only what a prompt file may do: nothing is computed that reaches outside. A variable
    that no input or value fills is empty text, as there; `flows check` warns of it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    target: str | None = Field(default=None, alias="_target_")
    template: str = ""
    input_variables: tuple[str, ...] = ()
    partial_variables: dict[str, Any] = {}

    @field_validator("target")
    @classmethod
    def _is_known(cls, value: str | None) -> str | None:
        if value is not None and value.rpartition(".")[2] not in ("JinjaPrompt", "PromptTemplate"):
            raise ValueError("a prompt is an aiflows.prompt_template.JinjaPrompt")
        return value

    def compile(self, name: str) -> CompiledPrompt:
        """The prompt, ready to be rendered. Errors: `ConfigError` for a template that cannot be
        one."""
        return CompiledPrompt(name, self)


class CompiledPrompt:
    """A prompt of a config; `name` is the key that it stands under."""

    def __init__(self, name: str, source: PromptTemplate) -> None:
        self.name = name
        self.source = source
        self.inputs = source.input_variables
        self.known = tuple(sorted({*source.input_variables, *source.partial_variables}))
        self.prompt = _prompt_of(name, source.template)
        unfilled = (each for each in self.prompt.variables if each not in self.known)
        self.unfilled = {each: Undefined(name=each) for each in unfilled}

    @property
    def text(self) -> str:
        return self.source.template

    def render(self, values: Mapping[str, object]) -> str:
        """The text with the inputs put in. Errors: `PortError` for an input that is missing."""
        missing = [each for each in self.inputs if each not in values]
        if missing:
            raise PortError(
                f"{self.name} takes {', '.join(missing)}, which the flow was not given (given: "
                f"{', '.join(sorted(values)) or 'nothing'})"
            )
        given = {
            **self.unfilled,
            **self.source.partial_variables,
            **{each: values[each] for each in self.inputs},
        }
        return self.prompt.render({key: given[key] for key in self.prompt.variables})


def unfilled_variables(prompts: Iterable[CompiledPrompt | None]) -> list[Problem]:
    """A warning for each variable of the prompts that nothing fills."""
    return [
        Problem(
            f"the prompt uses {name!r}, which is none of its input_variables and "
            "partial_variables: it is empty text, as in aiflows",
            (each.name, "template"), each.known, nearest(name, each.known), warning=True,
        )
        for each in dict.fromkeys(prompts) if each is not None
        for name in each.unfilled
    ]  # fmt: skip


def _prompt_of(name: str, template: str) -> Prompt:
    """The template with a header of the variables that it uses."""
    used = ", ".join(sorted(Prompt.variables_of(template)))
    return Prompt.from_text(name, f"{{#- variables: {used} #}}" + template, trims=False)
