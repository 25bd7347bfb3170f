"""Broken configs: what is wrong in each, and what the error must say.

One `Case` is one row. In the text of a file, «...» marks where the error must point; the marks are
taken out before the file is written. To add a row for another check, give it an `act`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from flows.config.compose import compose
from flows.config.limits import ConfigLimits
from flows.config.prompts import load_prompt
from flows.config.registry import Preset, Registry
from flows.config.secret import Secret, resolve_secret
from flows.config.validate import validate

RUN = "run.yaml"


@dataclass(frozen=True)
class Case:
    """`allowed` must be among the allowed words; `place` is the origin of an error that is not in a
    file of the case: a part of its text."""

    name: str
    files: Mapping[str, str | bytes]
    problem: str
    overrides: tuple[str, ...] = ()
    path: str | None = None
    allowed: tuple[str, ...] = ()
    meant: str | None = None
    place: str | None = None
    act: Callable[[Path, Case], object] = field(default=lambda folder, case: act(folder, case))


def act(folder: Path, case: Case) -> object:
    return compose(folder / RUN, case.overrides, configs=folder / "groups")


def act_with_small_limits(folder: Path, case: Case) -> object:
    limits = ConfigLimits(bytes=2000, depth=8, aliases=4, nodes=60, text=200, files=6, references=4)
    return compose(folder / RUN, case.overrides, configs=folder / "groups", limits=limits)


class Column(BaseModel):
    model_config = ConfigDict(extra="forbid")
    name: str
    width: int | None = None


class Settings(BaseModel):
    model_config = ConfigDict(extra="forbid")
    name: str
    max_rows: Annotated[int, Field(ge=1)] = 10
    mode: Literal["strict", "loose"] = "strict"
    columns: list[Column] = []
    by_name: dict[str, Column] = {}
    limit: int | float | None = None
    api_key: Secret | None = None
    note: str = ""
    last: Column | None = None
    is_open: bool = False


def act_validate(folder: Path, case: Case) -> object:
    composed = compose(folder / RUN, case.overrides, configs=folder / "groups")
    return validate(Settings, composed.values["flow"], composed, ("flow",))


def act_prompt(folder: Path, case: Case) -> object:
    return load_prompt("ask", [folder])


def act_render(folder: Path, case: Case) -> object:
    return load_prompt("ask", [folder]).render({"goal": {"a": 1}, "rows": list(range(200))})


def act_render_nothing(folder: Path, case: Case) -> object:
    return load_prompt("ask", [folder]).render({})


def registry() -> Registry:
    return Registry(
        {
            ("flow", "analyst.sql"): "json:JSONDecoder",
            ("flow", "controller"): "json:JSONEncoder",
            ("model", "model.offline"): "json:JSONDecoder",
            ("tool", "gone"): "json:NoSuchThing",
        },
        presets={
            ("flow", "a"): Preset("b"),
            ("flow", "b"): Preset("a"),
        },
    )


def act_registry(folder: Path, case: Case) -> object:
    composed = compose(folder / RUN, case.overrides, configs=folder / "groups")
    kind, name = composed.values["kind"], composed.values["_target_"]
    path = ("_target_",)
    return registry().resolve(kind, name, place=composed.place(path), path="_target_")


def act_secret(folder: Path, case: Case) -> object:
    return resolve_secret("${env:FLOWS_TEST_NOT_SET}")


GROUPS = {
    "groups/model/offline.yaml": "_target_: model.offline\n",
    "groups/model/openai.yaml": "_target_: model.openai\napi_key: ${env:OPENAI_API_KEY}\n",
    "groups/memory/chroma.yaml": "_target_: memory.chroma\nn_results: 3\n",
}
GRAPH = """\
defaults: [{model: offline}, _self_]
_target_: autogpt
max_rounds: 30
input_interface: [goal]
subflows_config:
  Controller: {_target_: controller}
  Executor:
    _target_: branching
    subflows_config:
      sql: {_target_: analyst.sql, max_rows: 200}
"""
FULL = {**GROUPS, RUN: GRAPH}


def run(text: str | bytes) -> dict[str, str | bytes]:
    return {**GROUPS, RUN: text}


def settings(text: str) -> dict[str, str | bytes]:
    return run("flow:\n" + text)


READING = [
    Case("tab", run("a:\n«\t»b: 1\n"), "a tab"),
    Case("syntax", run("a: [1, 2\nb«:» 3\n"), "not valid YAML"),
    Case("colon in a value", run("goal: count«:» all\n"), "quote the text"),
    Case(
        "duplicate key",
        run("name: x\nage: 1\n«name»: y\n"),
        "duplicate key 'name', first in line 1",
    ),
    Case("duplicate key inside", run("a:\n  b: {c: 1, «c»: 2}\n"), "duplicate key 'c'"),
    Case("not UTF-8", run(b"a: 1\nb: \xff\xfe\n"), "not UTF-8: byte 0xFF", place="run.yaml:2:4"),
    Case("control character", run("a: x«\x07»y\n"), "control character U+0007"),
    Case("empty", run("«»# nothing\n"), "the file is empty"),
    Case("a list at the top", run("«-» a\n- b\n"), "the top level must be a mapping"),
    Case("text at the top", run("«just» text\n"), "the top level must be a mapping"),
    Case("no such file", {"rum.yaml": "a: 1\n"}, "no such file", meant="rum.yaml", place=RUN),
    Case("a folder", {"run.yaml/x.yaml": "a: 1\n"}, "a folder, not a file", place=RUN),
    Case("missing unquoted", run("a: {b: «?»??}\n"), "write '???' in quotes"),
    Case("two documents", run("a: 1\n«---»\nb: 2\n"), "a second document"),
    Case("object tag", run("a: «!!python/object/apply:os.system» [x]\n"), "!!python/object/apply"),
    Case("path tag", run("a: «!!python/object/apply:pathlib.Path» [x]\n"), "is not allowed"),
    Case("own tag", run("a: «!secret» x\n"), "'!secret' is not allowed".replace("'", "")),
    Case("bad number", run("a: «!!int» twelve\n"), "cannot be read as int"),
    Case("huge escape", run('a: "\\U«»7fffffff"\n'), "not valid YAML"),
    Case("surrogate", run('a: «"\\ud800"»\n'), "surrogate"),
    Case("mapping as a key", run("«{»a: 1}: 2\n"), "a key must be plain text"),
    Case("empty key", run("«''»: 2\n"), "a key must be printable"),
    Case(
        "not UTF-8, in words", run(b"a: \xfcber\n"), "save the file as UTF-8", place="run.yaml:1:4"
    ),
    Case("NUL", run("a: x«\0»y\n"), "control character U+0000; leave it out"),
    Case("no colon", run("«a» b\nc: 1\n"), "this line is no `key: value`"),
    Case("no space behind a colon", run("«a»:b\nc:{d: 1}\n"), "a key ends with a `:`, and a space"),
    Case("another indentation", run("a:\n  b: 1\n «c»: 2\n"), "indented otherwise than those"),
    Case("less than a text", run("a: |\n  b\n «c»\nd: 1\n"), "indented otherwise than those"),
    Case("a quote in a text", run("a: 'it'«s»'\nb: 1\n"), "a quote inside of a text twice"),
    Case("an open quote", run('a: «"»b\nc: 1\nd: "e"\n'), "is closed in line 3: one is missing"),
    Case("an open bracket", run("a: [1\nb«:» [2]\n"), "in the brackets that are opened in line 1"),
    Case("a template", run("a: {«{» b }}\n"), "that begins with `{` or `[` stands in quotes"),
    Case("a bare star", run("a: *«\n»\n"), "quote a text that begins with * or &"),
    Case("a percent sign", run("a: «%»b\n"), "cannot start any token; quote the text"),
    Case("a reference in brackets", run("a: [$«{»b}]\n"), "inside [ ] and { } write '${...}' in"),
    Case("a no-break space", run("a:\n«\u00a0»b: 1\n"), "printable text of one line, not U+00A0"),
    Case("a no-break space behind a colon", run("a: 1\n«b»:\u00a05\n"), "wants a plain one"),
    Case("a key alone", run("a: 1\n«b»\n"), "a key without a `:` behind it"),
    Case("unknown alias", run("a: «*b»\n"), "has no anchor"),
    Case("alias in itself", run("a: &a [1, «*a»]\n"), "part of what it stands for"),
    Case("merge of text", run("a: {<<: «x»}\n"), "takes a mapping"),
]
LIMITS = [
    Case(
        "bytes",
        run(b"a: " + b"x" * 3000),
        "larger than 2000 bytes",
        place=RUN,
        act=act_with_small_limits,
    ),
    Case("depth", run("a: [[[[[[[«[»1]]]]]]]]\n"), "deeper than 8", act=act_with_small_limits),
    Case(
        "nodes",
        run("a: [" + "1," * 57 + "1, «2»]\n"),
        "more than 60 values",
        act=act_with_small_limits,
    ),
    Case(
        "aliases",
        run("a: &a 1\nb: [*a, *a, *a, *a, «*a»]\n"),
        "more than 4 aliases",
        act=act_with_small_limits,
    ),
    Case(
        "alias bomb",
        run("a: &a [1,1,1,1,1,1,1,1,1]\nb: &b [*a, *a, *a]\nc: [«*b»]\n"),
        "aliases expanded",
        act=act_with_small_limits,
    ),
    Case(
        "interpolation bomb",
        run("a: [1,1,1,1,1]\nb: ['${a}', '${a}', '${a}', '${a}']\nc: ['${b}', '${b}', '${b}']\n"),
        "interpolations expanded",
        place=RUN,
        act=act_with_small_limits,
    ),
    Case(
        "text bomb",
        run("a: " + "x" * 90 + "\nb: ${a}-${a}\nc: «${b}-${b}»\n"),
        "more than 200 characters",
        path="c",
        act=act_with_small_limits,
    ),
    Case(
        "chain",
        run("a: ${b}\nb: ${c}\nc: ${d}\nd: ${e}\ne: «${f}»\nf: 1\n"),
        "more than 4 interpolations",
        path="e",
        act=act_with_small_limits,
    ),
    Case(
        "included in a circle",
        {RUN: "a: 1\n", "x.yaml": "defaults: [«y»]\n", "y.yaml": "a: 1\ndefaults:\n  - x\n"},
        "in a circle: x.yaml:1:12 includes y.yaml, y.yaml:3:5 includes x.yaml",
        path="defaults",
        act=lambda folder, _: compose(folder / "x.yaml", (), configs=folder / "groups"),
    ),
    Case(
        "included in a circle of a group",
        {
            RUN: "defaults: [{model: one}]\n",
            "groups/model/one.yaml": "defaults: [«two»]\n",
            "groups/model/two.yaml": "defaults: [/model/one@_here_]\n",
        },
        "one.yaml:1:12 includes two.yaml, groups/model/two.yaml:1:12 includes one.yaml; leave one",
        path="defaults",
    ),
    Case(
        "includes itself",
        {RUN: "a: 1\ndefaults: [_self_, «run»]\n"},
        "run.yaml includes itself; leave that out",
        path="defaults",
    ),
    Case(
        "includes itself for a built-in config",
        {RUN: "a: 1\n", "autogpt.yaml": "defaults: [«autogpt», _self_]\n"},
        "it has the name of the built-in config 'autogpt' and is found in its place; give it",
        path="defaults",
        act=lambda folder, _: compose(folder / "autogpt.yaml"),
    ),
    Case(
        "too many files",
        {
            RUN: "defaults: [f1, f2, f3, f4]\n",
            **{f"f{n}.yaml": f"defaults: [g{n}, h{n}]\n" for n in range(5)},
            **{f"g{n}.yaml": "a: 1\n" for n in range(5)},
            **{f"h{n}.yaml": "a: 1\n" for n in range(5)},
        },
        "more than 6 files are included",
        place="yaml",
        act=act_with_small_limits,
    ),
]


DEFAULTS = [
    Case(
        "unknown option",
        run("defaults:\n  - model: «opnai»\n"),
        "no option 'opnai'",
        path="defaults",
        allowed=("offline", "openai"),
        meant="openai",
    ),
    Case(
        "unknown group",
        run("defaults:\n  - modle: «offline»\n"),
        "no config group 'modle'",
        allowed=("memory", "model"),
        meant="model",
    ),
    Case("unknown file", run("defaults: [«shared»]\n"), "no file shared.yaml"),
    Case("with its ending", run("defaults: [«./shared.yaml»]\n"), "no file shared.yaml to include"),
    Case(
        "a group and an option without a space",
        run("defaults: [«model:offline»]\n"),
        "no file model:offline.yaml to include",
        meant="model: offline",
    ),
    Case("not a list", run("defaults: «model»\n"), "must be a list"),
    Case(
        "item of two keys",
        run("defaults:\n  - «model»: offline\n    memory: chroma\n"),
        "an item is",
    ),
    Case(
        "option that is a mapping", run("defaults:\n  - model: «{»a: 1}\n"), "an option is a name"
    ),
    Case(
        "hydra's own", run("defaults:\n  - «override hydra/job_logging»: none\n"), "no effect here"
    ),
    Case("out of the folder", run("defaults: [«../secret»]\n"), "not a name inside"),
    Case(
        "resolver in the list",
        run("defaults:\n  - model: «${oc.env:HOME}»\n"),
        "`oc.env` is not available",
    ),
    Case("chosen twice", run("defaults: «[»{model: offline}, {model: openai}]\n"), "model"),
    Case("missing choice", run("defaults: «[»{model: '???'}]\n"), "model", path="defaults"),
    Case(
        "hydra key", run("name: x\n«hydra»: {run: {dir: /tmp}}\n"), "no effect here", path="hydra"
    ),
    Case(
        "error in an option",
        {
            **GROUPS,
            "groups/model/openai.yaml": "a: 1\n«a»: 2\n",
            RUN: "defaults: [{model: openai}]\n",
        },
        "duplicate key 'a'",
    ),
    Case(
        "unknown option inside an option",
        {
            **GROUPS,
            "groups/model/openai.yaml": "defaults: [{/memory@store: «chrome»}]\n",
            RUN: "defaults: [{model: openai}]\n",
        },
        "no option 'chrome'",
        meant="chroma",
    ),
]
OVERRIDES = [
    Case(
        "group option",
        FULL,
        "no option 'opnai'",
        ("model=opnai",),
        allowed=("offline", "openai"),
        meant="openai",
        place="override 1 (model=opnai)",
    ),
    Case("group of null", FULL, "takes the name of an option", ("model=null",), place="override 1"),
    Case("group added twice", FULL, "leave out the `+`", ("+model=openai",), place="override 1"),
    Case("group forced", FULL, "leave out the `+`", ("++model=openai",), place="override 1"),
    Case(
        "unknown group", FULL, "no config group 'sandbox/x'", ("sandbox/x=y",), place="override 1"
    ),
    Case(
        "group at a package",
        FULL,
        "has no model@Controller.model",
        ("model@Controller.model=openai",),
        meant="Controller.model=openai",
        place="override 1",
    ),
    Case("deleted option", FULL, "Could not delete", ("~model=openai",), place="override 1"),
    Case(
        "second override",
        FULL,
        "has no 'Executr'",
        ("max_rounds=3", "Executr.sql.max_rows=5"),
        path="Executr",
        allowed=("Controller", "Executor"),
        meant="Executor",
        place="command line, override 2 (Executr.sql.max_rows=5)",
    ),
    Case(
        "unknown subflow",
        FULL,
        "has no 'sqll'",
        ("Executor.sqll.max_rows=5",),
        path="subflows_config.Executor.sqll",
        meant="sql",
        place="override 1",
    ),
    Case(
        "key of a value",
        FULL,
        "is a single value",
        ("max_rounds.a=5",),
        path="max_rounds",
        place="override 1",
    ),
    Case(
        "index",
        FULL,
        "has 1 items",
        ("input_interface.1=x",),
        path="input_interface",
        place="override 1",
    ),
    Case(
        "added but there",
        FULL,
        "leave out the `+`",
        ("+max_rounds=5",),
        path="max_rounds",
        place="override 1",
    ),
    Case(
        "delete nothing",
        FULL,
        "has no 'ddg'",
        ("~Executor.ddg",),
        path="subflows_config.Executor.ddg",
        allowed=("sql",),
        place="override 1",
    ),
    Case(
        "delete another value",
        FULL,
        "its value is '30'",
        ("~max_rounds=5",),
        path="max_rounds",
        place="override 1",
    ),
    Case("unreadable key", FULL, "cannot be read", ("max rounds=5",), place="override 1"),
    Case("no equals", FULL, "cannot be read", ("max_rounds",), place="override 1"),
    Case("hydra", FULL, "no effect here", ("hydra.run.dir=x",), place="override 1"),
    Case(
        "resolver",
        FULL,
        "`oc.decode` is not available",
        ("name=${oc.decode:x}",),
        path="name",
        place="override 1",
    ),
    Case(
        "missing by override",
        FULL,
        "a value must be given",
        ("max_rounds=???",),
        path="max_rounds",
        place="override 1",
    ),
    Case(
        "hidden secret",
        FULL,
        "has no 'Controler'",
        ("Controler.model.api_key=sk-1",),
        meant="Controller",
        place="(Controler.model.api_key=***)",
    ),
]
INTERPOLATION = [
    Case(
        "unknown name",
        run("max_rows: 3\nb: «${max_row}»\n"),
        "names nothing",
        path="b",
        allowed=("max_rows", "b"),
        meant="max_rows",
    ),
    Case(
        "unknown inner name",
        run("a: {left: 1}\nb: «'x ${a.lefd}'»\n"),
        "there is no 'lefd'",
        meant="left",
    ),
    Case("circle", run("a: «${b}»\nb: ${a}\n"), "in a circle: a -> b -> a"),
    Case("in itself", run("a: {b: «'${a}'»}\n"), "in a circle"),
    Case(
        "environment resolver",
        run("a: «${oc.env:HOME}»\n"),
        "`oc.env` is not available",
        path="a",
        allowed=("${path.to.value}",),
    ),
    Case(
        "hydra resolver",
        run("a: [«'${hydra:runtime.cwd}'»]\n"),
        "`hydra` is not available",
        path="a.0",
    ),
    Case("nested resolver", run("a: «${oc.create:${oc.env:HOME}}»\n"), "is not available"),
    Case("part of a secret", run("a: «'Bearer ${env:KEY}'»\n"), "must stand alone"),
    Case("secret in a text", run("k: ${env:KEY}\na: «'Bearer ${k}'»\n"), "must stand alone"),
    Case("mapping in a text", run("a: {b: 1}\nc: «'x ${a}'»\n"), "cannot be put into a text"),
    Case(
        "unreadable",
        run("a: «'costs ${'»\n"),
        "cannot be read",
        allowed=(r"\${ for the text itself",),
    ),
    Case("out of the file", run("a: «'${...b}'»\n"), "leads out of the file"),
    Case("never filled", run("a: {b: «'???'»}\n"), "a value must be given", path="a.b"),
    Case("filled by nothing", run("a: «???»\nb: ${a}\n"), "a value must be given", path="a"),
]
VALIDATION = [
    Case(
        "unknown key",
        settings("  name: x\n  «max_row»: 5\n"),
        "unknown key 'max_row'",
        path="flow.max_row",
        allowed=("max_rows", "name"),
        meant="max_rows",
        act=act_validate,
    ),
    Case(
        "required key",
        run("flow: «{»max_rows: 5}\n"),
        "'name' must be given",
        path="flow.name",
        act=act_validate,
    ),
    Case(
        "whole number",
        settings("  name: x\n  max_rows: «many»\n"),
        "must be a whole number, not 'many'",
        path="flow.max_rows",
        act=act_validate,
    ),
    Case(
        "too small",
        settings("  name: x\n  max_rows: «0»\n"),
        "greater than or equal to 1, not 0",
        act=act_validate,
    ),
    Case(
        "literal",
        settings("  name: x\n  mode: «strickt»\n"),
        "one of the allowed values",
        allowed=("strict", "loose"),
        meant="strict",
        act=act_validate,
    ),
    Case(
        "key in a list",
        settings("  name: x\n  columns:\n    - {name: a, «widht»: 3}\n"),
        "unknown key 'widht'",
        path="flow.columns.0.widht",
        allowed=("name", "width"),
        meant="width",
        act=act_validate,
    ),
    Case(
        "key in a mapping",
        settings("  name: x\n  by_name:\n    a: {name: a, «w»: 3}\n"),
        "unknown key 'w'",
        path="flow.by_name.a.w",
        allowed=("name", "width"),
        act=act_validate,
    ),
    Case(
        "key in an optional model",
        settings("  name: x\n  last: {name: a, «witdh»: 3}\n"),
        "unknown key 'witdh'",
        meant="width",
        act=act_validate,
    ),
    Case(
        "union",
        settings("  name: x\n  limit: «some»\n"),
        "a whole number or a number",
        path="flow.limit",
        act=act_validate,
    ),
    Case(
        "a number in quotes",
        settings("  name: x\n  max_rows: «'»5'\n"),
        "must be a whole number, not the text '5': leave out the quotes",
        path="flow.max_rows",
        act=act_validate,
    ),
    Case(
        "a number in quotes in a list",
        settings('  name: x\n  columns: [{name: a, width: «"»5"}]\n'),
        "leave out the quotes",
        path="flow.columns.0.width",
        act=act_validate,
    ),
    Case(
        "true in quotes",
        settings("  name: x\n  is_open: «'»true'\n"),
        "must be true or false, not the text 'true'",
        act=act_validate,
    ),
    Case(
        "a number in curly quotes",
        settings("  name: x\n  max_rows: «“»5”\n"),
        "must be a whole number, not '“5”'",
        act=act_validate,
    ),
    Case(
        "text expected", settings("  name: «[»1]\n"), "must be text, not a list", act=act_validate
    ),
    Case(
        "a mapping expected",
        settings("  name: x\n  last: «3»\n"),
        "must be a mapping",
        act=act_validate,
    ),
    Case(
        "a list expected",
        settings("  name: x\n  columns: «a»\n"),
        "must be a list",
        act=act_validate,
    ),
    Case(
        "true or false",
        settings("  name: x\n  is_open: «maybe»\n"),
        "must be true or false",
        act=act_validate,
    ),
    Case(
        "secret hidden", settings("  name: x\n  api_key: «[»sk-1]\n"), "not ***", act=act_validate
    ),
    Case(
        "variable for no secret",
        settings("  name: x\n  note: «${env:HOME}»\n"),
        "only be the value of a secret",
        path="flow.note",
        act=act_validate,
    ),
    Case(
        "from an override",
        settings("  name: x\n"),
        "unknown key 'max_row'",
        ("flow.max_row=5",),
        meant="max_rows",
        place="override 1 (flow.max_row=5)",
        act=act_validate,
    ),
    Case(
        "wrong by an override",
        settings("  name: x\n"),
        "must be a whole number",
        ("flow.max_rows=few",),
        path="flow.max_rows",
        place="override 1",
        act=act_validate,
    ),
]


def prompt(text: str) -> dict[str, str | bytes]:
    return {"ask.j2": text}


PROMPTS = [
    Case(
        "no header", prompt("«»Reach {{ goal }}.\n"), "must declare the variables", act=act_prompt
    ),
    Case(
        "undeclared",
        prompt("{#- variables: goal -#}\n{{ goal }}\nand {{ «gaol» }}\n"),
        "'gaol' is used but not declared",
        allowed=("goal",),
        meant="goal",
        act=act_prompt,
    ),
    Case(
        "unused",
        prompt("{#- variables: goal, «memory» -#}\n{{ goal }}\n"),
        "'memory' is declared but not used",
        act=act_prompt,
    ),
    Case(
        "declared twice",
        prompt("{#- variables: goal, «goal» -#}\n{{ goal }}\n"),
        "declared twice",
        act=act_prompt,
    ),
    Case(
        "bad name",
        prompt("{#- variables: «my goal» -#}\n"),
        "not a variable's name",
        act=act_prompt,
    ),
    Case(
        "template syntax",
        prompt("{#- variables: goal -#}\n\n«»{% if goal %}{{ goal }\n"),
        "unexpected '}'",
        act=act_prompt,
    ),
    Case(
        "include",
        prompt("{#- variables: goal -#}\n«»{% include goal %}\n"),
        "include is not available",
        act=act_prompt,
    ),
    Case(
        "macro",
        prompt("{#- variables: goal -#}\n«»{% macro m() %}{{ goal }}{% endmacro %}\n"),
        "macros",
        act=act_prompt,
    ),
    Case(
        "unknown filter",
        prompt("{#- variables: goal -#}\n«»{{ goal|uper }}\n"),
        "no filter 'uper'",
        meant="upper",
        act=act_prompt,
    ),
    Case(
        "method",
        prompt("{#- variables: goal -#}\n«»{{ goal.format(1) }}\n"),
        "'format' is not available",
        act=act_prompt,
    ),
    Case(
        "no such prompt",
        {"ack.j2": "{#- variables: -#}\n"},
        "no prompt 'ask'",
        allowed=("ack",),
        meant="ack",
        place="",
        act=act_prompt,
    ),
    Case(
        "path",
        {},
        "not the name of a prompt",
        place="",
        act=lambda folder, _: load_prompt("../ask", [folder]),
    ),
    Case(
        "sandbox",
        prompt("{#- variables: goal -#}\n\n«»{{ goal.__class__ }}\n"),
        "unsafe",
        act=act_render,
    ),
    Case(
        "undefined inside",
        prompt("{#- variables: goal -#}\nx\n«»{{ goal.b }}\n"),
        "no attribute 'b'",
        act=act_render,
    ),
    Case(
        "steps",
        prompt(
            "{#- variables: rows -#}\n«»{% for a in rows %}{% for b in rows %}{% for c in rows %}"
            "{% endfor %}{% endfor %}{% endfor %}\n"
        ),
        "100000 steps",
        act=act_render,
    ),
    Case(
        "steps of a recursive loop",
        prompt(
            "{#- variables: rows -#}\n«»{% for a in rows recursive %}{% if loop.depth < 9 %}"
            "{{ loop(rows) }}{% endif %}{% endfor %}\n"
        ),
        "100000 steps",
        act=act_render,
    ),
    Case(
        "autoescape",
        prompt("{#- variables: goal -#}\n«»{% autoescape true %}{{ goal }}{% endautoescape %}\n"),
        "autoescape is not available",
        act=act_prompt,
    ),
    Case(
        "uncounted loop",
        prompt(
            "{#- variables: rows -#}\n{% for a in rows recursive %}\n«»{{ loop(*[rows]) }}"
            "{% endfor %}\n"
        ),
        "this call is not available",
        act=act_prompt,
    ),
    Case(
        "loops in loops",
        prompt(
            "«»{#- variables: rows -#}\n" + "{% for a in rows %}" * 30 + "{% endfor %}" * 30 + "\n"
        ),
        "nests too deeply",
        act=act_prompt,
    ),
    Case(
        "long text",
        prompt(
            "{#- variables: rows -#}\n«»{{ range(9999)|join('" + "x" * 999 + "') }}{{ rows }}\n"
        ),
        "too long",
        act=act_render,
    ),
    Case(
        "nothing given",
        prompt("«»{#- variables: goal -#}\n{{ goal }}\n"),
        "was not given goal",
        act=act_render_nothing,
    ),
]
NAMES = [
    Case(
        "unknown flow",
        run("kind: flow\n_target_: «analyst.sq»\n"),
        "no flow named 'analyst.sq'",
        path="_target_",
        allowed=("analyst.sql", "controller"),
        meant="analyst.sql",
        act=act_registry,
    ),
    Case(
        "other kind",
        run("kind: model\n_target_: «controller»\n"),
        "only a flow",
        allowed=("model.offline",),
        act=act_registry,
    ),
    Case("import path", run("kind: flow\n_target_: «os.getcwd»\n"), "--trust os", act=act_registry),
    Case("gone", run("kind: tool\n_target_: «gone»\n"), "cannot be loaded", act=act_registry),
    Case(
        "preset in a circle",
        run("kind: flow\n_target_: «a»\n"),
        "leads to itself",
        act=act_registry,
    ),
    Case("secret not set", {}, "FLOWS_TEST_NOT_SET is not set", place="", act=act_secret),
]
CASES = [
    *((f"reading-{case.name}", case) for case in READING),
    *((f"limits-{case.name}", case) for case in LIMITS),
    *((f"defaults-{case.name}", case) for case in DEFAULTS),
    *((f"overrides-{case.name}", case) for case in OVERRIDES),
    *((f"interpolation-{case.name}", case) for case in INTERPOLATION),
    *((f"validation-{case.name}", case) for case in VALIDATION),
    *((f"prompts-{case.name}", case) for case in PROMPTS),
    *((f"names-{case.name}", case) for case in NAMES),
]
