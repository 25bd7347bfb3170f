"""The config of a session as a run file: shown, and saved."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from flows.build.builder import build
from flows.build.plan import RunPlan
from flows.build.restoration import with_marks
from flows.config.secret import EnvSecret, check_secrets_kept, masked
from flows.config.tree import SUBFLOWS
from flows.core.values import Values
from flows.errors import ConfigError, FlowsError, UsageError, nearest
from flows.records.session_changes import SessionChange
from flows.runners.checked_file import write_checked

FORCE = "--force"


def shown_document(plan: RunPlan, path: str, changes: Sequence[SessionChange]) -> str:
    """The config of a plan, or what stands at the path, as YAML without secrets; before it the
    changes that were made. Errors: `ConfigError` for a path that is not there."""
    made = "".join(f"# changed: {each.said}\n" for each in changes) if not path else ""
    key, value = _at(_document(plan), path)
    text = as_yaml({key: value} if key else value, hidden=True)
    return f"{made}{text}".rstrip()


def save_document(plan: RunPlan, words: Sequence[str]) -> str:
    """Write the config of a plan as a run file, whole or not at all. It is built once, to see that
    it gives the same flow. Errors: `UsageError` for a file that is there, unless `--force` is among
    the words, and for one that cannot be written or would give another flow."""
    check_secrets_kept(plan.spec)
    names = [each for each in words if each != FORCE]
    if len(names) != 1:
        raise UsageError(f"say one file: :save FILE [{FORCE}]")
    file = Path(names[0]).expanduser()
    if file.suffix not in (".yaml", ".yml"):
        raise UsageError(f"a run file ends with .yaml, and not as {file.name!r}")
    if file.exists() and FORCE not in words:
        raise UsageError(f"{file} is there already; :save {file} {FORCE} writes over it")
    try:
        write_checked(
            as_yaml(_document(plan)),
            file.parent,
            file,
            lambda made: _check_same(made, plan),
            over=FORCE in words,
        )
    except FileExistsError as error:
        raise UsageError(f"{file} is there already; :save {file} {FORCE}") from error
    return f"Saved: {file}. Go on with it in another run: flows run {shlex.quote(str(file))}"


def _check_same(file: Path, plan: RunPlan) -> None:
    """Errors: `UsageError` for a file that gives another flow than the plan has."""
    try:
        saved, _ = build(file, trust=plan.trust, functions=plan.functions)
    except FlowsError as error:
        text = re.sub(rf"\S*{re.escape(file.name)}", "the file", str(error))
        raise UsageError(f"not saved, as it would be no run file: {text}") from error
    was, now = (json.loads(each.record_text)["flows"] for each in (plan, saved))
    other = [path for path in dict.fromkeys((*was, *now)) if was.get(path) != now.get(path)]
    if other:
        raise UsageError(
            f"not saved, as {other[0] or 'the flow'} would be another one there: its prompts and "
            f"paths start from {plan.base}; save it in that folder"
        )


def _document(plan: RunPlan) -> Values:
    record = json.loads(plan.record_text)
    spec: Values = {**with_marks(record["spec"], record["secrets"]), "inputs": record["inputs"]}
    return {key: each for key, each in spec.items() if each != {} or key == "inputs"}


def _at(document: Values, path: str) -> tuple[str, Any]:
    """The last key and the value at a dotted path, through `subflows_config` where that is left
    out. Errors: `ConfigError`."""
    value: Any = document
    key = ""
    for key in path.split(".") if path else ():
        below = value.get(SUBFLOWS, {}) if isinstance(value, Mapping) else {}
        known = {**below, **value} if isinstance(value, Mapping) else {}
        if isinstance(value, list):
            known = {str(number): each for number, each in enumerate(value)}
        if key not in known:
            allowed = tuple(known)
            meant = nearest(key, allowed)
            raise ConfigError(f"there is no {key!r}", path=path, allowed=allowed, meant=meant)
        value = known[key]
    return key, value


def as_yaml(values: Any, *, hidden: bool = False) -> str:
    """Values as the text of a run file; `hidden` puts marks in the place of secrets."""

    class Dumper(yaml.SafeDumper):
        """Its own, so that the representers are not everyone's."""

        def ignore_aliases(self, data: Any) -> bool:
            del data
            return True

    def text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
        style = "|" if "\n" in value else None
        return dumper.represent_scalar("tag:yaml.org,2002:str", str(value), style=style)

    Dumper.add_representer(str, text)
    Dumper.add_representer(EnvSecret, text)
    plain = _hidden(values) if hidden else _escaped(values)
    return yaml.dump(plain, Dumper=Dumper, sort_keys=False, allow_unicode=True, width=100)


def _hidden(values: Any, key: str = "") -> Any:
    if isinstance(values, Mapping):
        return {name: _hidden(each, str(name)) for name, each in values.items()}
    if isinstance(values, list):
        return [_hidden(each, key) for each in values]
    return masked(key, values)


def _escaped(values: Any) -> Any:
    """Texts as a run file has them: where one only looks like an interpolation, that is undone."""
    if isinstance(values, Mapping):
        return {name: _escaped(each) for name, each in values.items()}
    if isinstance(values, list):
        return [_escaped(each) for each in values]
    if isinstance(values, str) and not isinstance(values, EnvSecret):
        return values.replace("${", "\\${")
    return values
