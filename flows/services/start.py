"""The first files of a folder: a run file over the data that is there, and the demo."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from string import Template
from textwrap import indent
from typing import Final

import yaml

from flows.config.places import RUN_FILE, demo_file
from flows.data.files.file_kinds import KINDS
from flows.errors import ConfigError, UsageError
from flows.services.files import write_file
from flows.services.scaffold import TEMPLATES, Scaffold
from flows.services.sources import read_sources

SCHEMA: Final = Path(".flows", "run.schema.json")
MOST_SOURCES: Final = 20  # that the run file names, of a folder with more data
# Texts and JSON in a folder are seldom data, but notes and settings.
_DATA: Final = frozenset(each for each, kind in KINDS.items() if kind != "json") - {".txt"}
_SCHEMA_LINE: Final = re.compile(r"(?<=\$schema=)\S+")
_IGNORED: Final = ".env\n.flows/\nruns/\n"


def write_start(folder: Path, schema: str) -> Scaffold:
    """Write `flows.yaml`, over the data files of the folder or the demo's, the demo itself, and
    the JSON `schema` that editors read both with. The folder is made if it is not there.

    Errors: `UsageError` where one of these is there already: nothing is written then.
    """
    demo = demo_file()
    if demo is None:
        raise ConfigError("the demo, which `flows init` writes, did not come with the package")
    told = demo.read_text(encoding="utf-8")
    data = _data_of(folder) or yaml.safe_load(told)["data"]
    words = {
        "name": json.dumps(folder.absolute().name.replace("_", " ").capitalize() or "Mine"),
        "data": indent(yaml.safe_dump(data, allow_unicode=True, sort_keys=False), "  ").rstrip(),
        "schema": SCHEMA.as_posix(),
    }
    template = (TEMPLATES / "start" / f"{RUN_FILE}.template").read_text(encoding="utf-8")
    texts = {
        folder / RUN_FILE: Template(template).substitute(words),
        folder / demo.name: _SCHEMA_LINE.sub(SCHEMA.as_posix(), told, count=1),
        folder / SCHEMA: schema,
    }
    if there := [str(each) for each in texts if each.exists() or each.is_symlink()]:
        raise UsageError(f"there already: {', '.join(there)}; nothing was written")
    if not (ignored := folder / ".gitignore").exists():
        texts[ignored] = _IGNORED
    for file, text in texts.items():
        write_file(file, text.encode(), makes_folders=True)
    enter = () if folder.samefile(Path()) else (f"cd {shlex.quote(str(folder))}",)
    commands = (
        *enter,
        "flows check",
        'flows run "What does the data hold?"',
        "flows run demo.yaml",
    )
    return Scaffold(folder, tuple(texts), commands)


def _data_of(folder: Path) -> dict[str, str]:
    """The data files that lie in a folder, by the names that queries use."""
    names = sorted(each.name for each in folder.glob("*") if each.suffix.lower() in _DATA)
    found = read_sources([f"./{each}" for each in names[:MOST_SOURCES]])
    return {each.name: each.where.removeprefix("./") for each in found}
