"""Config groups: the folders of YAML files that `defaults:` lists and `model=openai` choose from.

Hydra computes which files take part and in which order; it sees only the defaults lists of files
that were read safely before, through a repository of ours. Its own configs take no part.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path as FilePath
from pathlib import PurePosixPath
from typing import Literal

from hydra._internal.config_repository import ConfigRepository
from hydra.core.config_search_path import ConfigSearchPath
from hydra.core.object_type import ObjectType
from hydra.plugins.config_source import ConfigResult, ConfigSource
from hydra.version import VersionBase, setbase
from omegaconf import ListConfig, OmegaConf

from flows.config.faults import Faults
from flows.config.includes import check_circle, items_of, named_in
from flows.config.interpolate import check_closed
from flows.config.limits import ConfigLimits
from flows.config.read import Document, read, unread
from flows.config.tree import (
    DEFAULTS,
    Entry,
    ListNode,
    Node,
    Section,
    ValueNode,
    is_unknown,
    leaves,
    plain,
)
from flows.errors import ConfigError, Place, UnknownValue, nearest

RUN_FILE = "__run__"
Asked = tuple[Literal["file", "group"], str]
_hydra = threading.Lock()


@contextmanager
def hydra_rules() -> Iterator[None]:
    """Hydra's rules of version 1.3, whatever the process had set; one thread at a time."""
    with _hydra:
        version = VersionBase.instance()
        before = version.getbase()
        setbase("1.3")
        try:
            yield
        finally:
            version.version_base = before


class GroupFiles(ConfigRepository):
    """The files that can be chosen from, in folders of which the first that has a file wins. What
    is wrong in one of them is kept in the `faults`; the names of those that are chosen and not
    there are `missing`."""

    def __init__(
        self, run_file: Document, folders: Sequence[FilePath], limits: ConfigLimits, faults: Faults
    ) -> None:
        # Not the parent's: that would load Hydra's plugins and read files by itself.
        self.folders = tuple(folders)
        self.limits = limits
        self.faults = faults
        self.missing: set[str] = set()
        self.documents: dict[str, Document | None] = {RUN_FILE: self._checked(run_file)}
        self.results: dict[str, ConfigResult | None] = {}
        self.loads = 0
        self.told: dict[Asked, str] = {}  # all that Hydra was told, by what it asked

    def add(self, name: str, document: Document) -> None:
        """Make a document known that is in no folder."""
        self.documents[name] = self._checked(document)

    def add_missing(self, name: str) -> None:
        """Let a file that is chosen and not there be one of which nothing is known."""
        self.missing.add(name)
        self.documents[name] = unread(FilePath(f"{name}.yaml"))

    def document(self, name: str) -> Document | None:
        """The file `group/option` (without its ending), or None."""
        if name not in self.documents:
            file = self._file(name)
            self.documents[name] = None if file is None else self._read(file)
        return self.documents[name]

    def _read(self, file: FilePath) -> Document:
        return self._checked(read(file, self.limits, may_be_empty=True, faults=self.faults))

    def _checked(self, document: Document) -> Document:
        """The document without what Hydra cannot read of its defaults list."""
        entry = document.tree.entries.get(DEFAULTS)
        if entry is None:
            return document
        good = []
        with self.faults:
            for item in _items(entry.node):
                with self.faults:
                    _check_item(item)
                    good.append(item)
        if isinstance(entry.node, ListNode) and len(good) == len(entry.node.items):
            return document
        items = ListNode(tuple(good), entry.node.place)
        tree = document.tree.with_entry(DEFAULTS, Entry(entry.key_place, items))
        return replace(document, tree=replace(tree, open=True))

    def _file(self, name: str) -> FilePath | None:
        if not is_inside(name):
            return None
        ending = "" if name.endswith(".yaml") else ".yaml"
        files = [folder / f"{name}{ending}" for folder in self.folders]
        links = (file for file in files if file.is_symlink())  # to no file, which reading one says
        return next((file for file in files if file.is_file()), next(links, None))

    def options(self, group: str) -> list[str]:
        """The names of the files in a group, sorted."""
        return sorted({file.stem for each in self._group_folders(group) for file in each})

    def is_group(self, name: str) -> bool:
        """Whether there is a config group of that name."""
        return all(each.isidentifier() for each in name.split("/")) and bool(self.options(name))

    def _group_folders(self, group: str) -> Iterator[list[FilePath]]:
        if group and is_inside(group):
            for folder in self.folders:
                yield list((folder / group).glob("*.yaml"))

    def groups(self) -> list[str]:
        """The names of all groups at the top of the folders, sorted."""
        names = {file.parent.name for folder in self.folders for file in folder.glob("*/*.yaml")}
        return sorted(names)

    def choices(self) -> Iterator[tuple[str, ValueNode]]:
        """Every choice in a defaults list that was read: `group/option`, and where it stands."""
        for document in self.documents.values():
            for item in items_of(document):
                yield from named_in(item)

    def answer(self, asked: Asked) -> str:
        """All that Hydra uses of what it asks for: the names in a group, or a file's defaults list
        and header. Equal answers are equal texts; that for a file which is not there is empty."""
        kind, name = asked
        if kind == "group":
            return repr(self.options(name))
        document = self.document(name)
        if document is None:
            return ""
        defaults = document.tree.get(DEFAULTS)
        return repr((None if defaults is None else plain(defaults), _header(document)))

    def tell(self, kind: Literal["file", "group"], name: str) -> None:
        self.told[kind, name] = self.answer((kind, name))

    # What Hydra calls.

    def load_config(self, config_path: str) -> ConfigResult | None:
        self.loads += 1
        self.tell("file", config_path)
        document = self.document(config_path)
        if document is None:
            return None
        if self.loads > self.limits.files:
            check_circle(RUN_FILE, self.document)
            place = document.place((DEFAULTS,))
            problem = f"more than {self.limits.files} files are included"
            raise ConfigError(problem, place=place, path=DEFAULTS)
        if config_path not in self.results:
            self.results[config_path] = self._result(config_path, document)
        return self.results[config_path]

    def _result(self, config_path: str, document: Document) -> ConfigResult:
        items = [plain(item) for item in items_of(document)]
        defaults = OmegaConf.create(items)
        assert isinstance(defaults, ListConfig)
        result = ConfigResult("checked", document.origin, OmegaConf.create({}), _header(document))
        result.defaults_list = self._create_defaults_list(config_path, defaults)
        return result

    def config_exists(self, config_path: str) -> bool:
        self.tell("file", config_path)
        return self.document(config_path) is not None

    def group_exists(self, config_path: str) -> bool:
        self.tell("group", config_path)
        return bool(self.options(config_path))

    def get_group_options(
        self,
        group_name: str,
        results_filter: ObjectType | None = ObjectType.CONFIG,  # noqa: ARG002  Hydra's signature
    ) -> list[str]:
        return self.options(group_name)

    def get_sources(self) -> list[ConfigSource]:
        return []

    def initialize_sources(self, config_search_path: ConfigSearchPath) -> None:
        raise NotImplementedError("the folders are given when the repository is made")


def is_inside(name: str) -> bool:
    """Whether a config's name stays inside the folder that it is looked for in."""
    pure = PurePosixPath(name)
    strange = "\\" in name or "\0" in name or len(name) > 200
    return not (strange or pure.is_absolute() or ".." in pure.parts)


def _header(document: Document) -> dict[str, str | None]:
    """What Hydra reads of the comments above a file, such as `# @package _global_`."""
    return {"package": None, **ConfigSource._get_header_dict(document.text)}


def _items(defaults: Node) -> tuple[Node, ...]:
    """The items of a defaults list. Errors: `ConfigError` for what is none."""
    if is_unknown(defaults):
        raise UnknownValue("the defaults list is not known", place=defaults.place)
    if not isinstance(defaults, ListNode):
        raise _wrong("must be a list of `- group: option`", defaults.place)
    return defaults.items


def _check_item(item: Node) -> None:
    """Errors: `ConfigError` for an item of a shape that Hydra does not read."""
    if any(is_unknown(each) for _, each in leaves(item)):
        raise UnknownValue("what is included is not known", place=item.place)
    if isinstance(item, Section) and len(item.entries) == 1:
        ((key, entry),) = item.entries.items()
        _check_name(key, entry.key_place)
        values = entry.node.items if isinstance(entry.node, ListNode) else (entry.node,)
        for value in values:
            if isinstance(value, ValueNode) and isinstance(value.value, str):
                _check_name(value.value, value.place)
            elif not isinstance(value, ValueNode) or value.value is not None:
                raise _wrong("an option is a name (or null, or a list of names)", value.place)
    elif isinstance(item, ValueNode) and isinstance(item.value, str):
        _check_name(item.value, item.place)
    else:
        raise _wrong("an item is `group: option`, a file's name or `_self_`", item.place)


def _check_name(name: str, place: Place) -> None:
    check_closed(name, place, DEFAULTS)
    group = name.split(" ")[-1].lstrip("/")
    if group == "hydra" or group.startswith("hydra/"):
        raise _wrong("Hydra's own settings have no effect here", place)
    if not is_inside(group) or not name.strip():
        raise _wrong(f"{name!r} is not a name inside the config folders", place)


def _wrong(problem: str, place: Place) -> ConfigError:
    return ConfigError(problem, place=place, path=DEFAULTS)


def unknown_choice(files: GroupFiles, name: str, place: Place | None, path: str) -> ConfigError:
    """The error for a `group/option` that is no file: the options, or else the groups."""
    group, _, option = name.removeprefix("./").rpartition("/")
    options = files.options(group)
    if options:
        problem = f"the config group {group!r} has no option {option!r}"
        return _choose(problem, option, options, place, path)
    if group:
        return _choose(f"there is no config group {group!r}", group, files.groups(), place, path)
    group, colon, chosen = option.partition(":")
    beside = [file.stem for folder in files.folders for file in folder.glob("*.yaml")]
    meant = f"{group}: {chosen}" if colon else nearest(option.removesuffix(".yaml"), beside)
    problem = f"there is no file {option.removesuffix('.yaml')}.yaml to include"
    return ConfigError(problem, place=place, path=path, meant=meant)


def _choose(
    problem: str, word: str, allowed: Sequence[str], place: Place | None, path: str
) -> ConfigError:
    meant = nearest(word, allowed)
    return ConfigError(problem, place=place, path=path, allowed=allowed, meant=meant)
