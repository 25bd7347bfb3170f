"""One override's text, read by Hydra's grammar: what to do, with which path and value."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override as HydraOverride
from hydra.core.override_parser.types import OverrideType, QuotedString, Sweep
from hydra.errors import HydraException

from flows.config.faults import Faults
from flows.config.redaction import HIDDEN
from flows.config.secret import masked, names_a_secret
from flows.config.settings import Choice, Setting
from flows.config.tree import Node, ValueNode, planted
from flows.errors import ConfigError, Place

Kind = Literal["change", "add", "force", "delete"]
KINDS: dict[OverrideType, Kind] = {
    OverrideType.CHANGE: "change",
    OverrideType.ADD: "add",
    OverrideType.FORCE_ADD: "force",
    OverrideType.DEL: "delete",
}
COMMAND_LINE = "command line, override"
CHANGE: Kind = "change"
FORCE: Kind = "force"
LONGEST_GRAMMAR = 4096
LONGEST_SHOWN = 60
# A group of the root, as in a defaults list: `+/agent@subflows_config.X=autogen`.
_ROOT = re.compile(r"^(\+\+|\+|~|)/(?=\w)")
_INNER = re.compile(r"""(["']?([\w.-]+)["']?\s*:\s*)("[^"]*"|'[^']*'|[^\s,{}\[\]]+)""")


@dataclass(frozen=True, slots=True)
class Override:
    """An override that was read, or what a program set.

    `value` is what Hydra's grammar made of the text; `is_text` says that it made nothing of it,
    so that the value is the text after the `=`, literally. `is_name` says that it is a bare word,
    which may name an option or a target. `is_set` says that a program gave the value: there is no
    text of it that could be read.
    """

    text: str
    place: Place
    kind: Kind
    key: str
    package: str | None
    value: Any
    has_value: bool
    is_text: bool
    is_name: bool
    is_set: bool = False

    @property
    def segments(self) -> tuple[str, ...]:
        return tuple(self.key.split("."))

    @property
    def written(self) -> ValueNode:
        """The text after the `=` as a literal; quotes around all of it are taken off."""
        raw = self.text.partition("=")[2].strip()
        quoted = isinstance(self.value, str) and raw[:1] in ("'", '"') and not self.is_text
        return ValueNode(self.value if quoted else raw, self.place, literal=True)

    def node(self) -> Node:
        """The value as a tree."""
        if self.is_text:
            return self.written
        return planted(self.value, self.place, literal=self.is_set)


def set_override(given: Setting | Choice) -> Override:
    """What a program sets, in the place of an override."""
    value: Any
    if isinstance(given, Choice):
        kind, key, value, text = CHANGE, given.group, given.option, f"{given.group}={given.option}"
    else:
        kind, key, value, text = FORCE, given.key, given.value, given.key
    is_choice = isinstance(given, Choice)
    return Override(
        text, given.place, kind, key, None, value,
        has_value=True, is_text=False, is_name=is_choice, is_set=True,
    )  # fmt: skip


def read_overrides(
    texts: Sequence[str], origin: str = COMMAND_LINE, *, faults: Faults
) -> list[Override]:
    """Read every override. Needs `hydra_rules`. A key without sense is kept in the `faults`."""
    parser = OverridesParser.create()
    found = []
    for number, text in enumerate(texts, 1):
        with faults:
            found.append(_read(parser, text, f"{origin} {number}"))
    return found


def _read(parser: OverridesParser, text: str, origin: str) -> Override:
    place = Place(f"{origin} ({short_override(text)})")
    text = _ROOT.sub(r"\1", text)
    parsed = _parsed(parser, text)
    if parsed is None or isinstance(parsed._value, Sweep):
        return _as_text(parser, text, place)
    is_quoted = isinstance(parsed._value, QuotedString)
    try:
        value = HydraOverride._convert_value(parsed._value)
    except TypeError as error:
        raise ConfigError(f"a value that cannot be read: {error}", place=place) from error
    is_name = isinstance(value, str) and not is_quoted and "${" not in value
    return _override(parsed, text, place, value, is_text=False, is_name=is_name)


def _parsed(parser: OverridesParser, text: str) -> HydraOverride | None:
    """What Hydra makes of the text; None when it makes nothing of it."""
    if len(text) > LONGEST_GRAMMAR:
        return None
    try:
        parsed = parser.parse_rule(text, "override")
    except (HydraException, RecursionError, ValueError):
        # Not an error yet: the text after the `=` may be meant as it is.
        return None
    assert isinstance(parsed, HydraOverride)
    return parsed


def _as_text(parser: OverridesParser, text: str, place: Place) -> Override:
    key, equals, raw = text.partition("=")
    parsed = _parsed(parser, f"{key}=") if equals else None
    if parsed is None or not parsed.key_or_group:
        allowed = ("PATH=VALUE", "+PATH=VALUE", "~PATH", "GROUP=OPTION")
        raise ConfigError("an override that cannot be read", place=place, allowed=allowed)
    return _override(parsed, text, place, raw.strip(), is_text=True, is_name=False)


def _override(
    parsed: HydraOverride, text: str, place: Place, value: Any, *, is_text: bool, is_name: bool
) -> Override:
    kind = KINDS[parsed.type]
    if not parsed.key_or_group:
        raise ConfigError("an override without a path", place=place)
    if parsed.key_or_group.partition("/")[0].partition(".")[0] == "hydra":
        raise ConfigError("Hydra's own settings have no effect here", place=place)
    return Override(
        text=text,
        place=place,
        kind=kind,
        key=parsed.key_or_group,
        package=parsed.package,
        value=value,
        has_value="=" in text,
        is_text=is_text,
        is_name=is_name,
    )


def short_override(text: str) -> str:
    """The override as it may be shown: one printable line, no secret."""
    key, equals, value = text.partition("=")
    name = key.rpartition(".")[2]
    shown = HIDDEN if names_a_secret(name) else str(masked(name, _INNER.sub(_masked_inner, value)))
    line = "".join(char if char.isprintable() else " " for char in f"{key}{equals}{shown}")
    return line if len(line) <= LONGEST_SHOWN else line[: LONGEST_SHOWN - 3] + "..."


def _masked_inner(found: re.Match[str]) -> str:
    """A key and its value within braces, as they may be shown."""
    return f"{found[1]}{HIDDEN}" if names_a_secret(found[2]) else found[0]


def as_choice(override: Override, *, append: bool) -> HydraOverride:
    """The override of a config group as Hydra takes it."""
    kinds = {kind: each for each, kind in KINDS.items()}
    return HydraOverride(
        type=OverrideType.ADD if append else kinds[override.kind],
        key_or_group=override.key,
        value_type=None,
        _value=override.value if override.has_value else None,
        package=override.package,
        input_line=override.text,
    )
