"""Plain values as YAML that reads the same everywhere: what could be taken for another type stands
in quotes."""

from __future__ import annotations

from typing import Any

import yaml

# No number, date, truth value or null of any reader begins with a letter, but for these words.
_OTHER = frozenset(
    ("yes", "no", "on", "off", "true", "false", "null", "none", "y", "n", "nan", "inf")
)


class _Dumper(yaml.SafeDumper):
    """Its own, so that its rules are not everyone's."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: ARG002
        super().increase_indent(flow, False)

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002
        return True


class InlineList(list[Any]):
    """A list that stands on one line."""


def _text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    named = value[:1].isascii() and (value[:1].isalpha() or value[:1] == "_")
    style = None if named and value.casefold() not in _OTHER else '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)


def _line(dumper: yaml.SafeDumper, value: InlineList) -> yaml.SequenceNode:
    return dumper.represent_sequence("tag:yaml.org,2002:seq", value, flow_style=True)


_Dumper.add_representer(str, _text)
_Dumper.add_representer(InlineList, _line)


def yaml_text(value: dict[str, Any]) -> str:
    """The value as YAML, its keys in their order."""
    text: str = yaml.dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=1000)
    return text
