"""A run file with its defaults list and overrides becomes one checked tree of values.

Weakest first: a flow's default file, the run file's defaults list, the run file, the overrides in
their order. Nothing of Hydra's stays behind in the process: no logging, no folder, no global.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path as FilePath

from hydra.core.default_element import ResultDefault
from hydra.errors import HydraException, MissingConfigException
from hydra.plugins.config_source import ConfigSource

from flows.config.aiflows import (
    is_unwrapped,
    read_aiflows,
    read_defaults,
    unwrapped,
    with_package,
)
from flows.config.class_defaults import ClassDefaults
from flows.config.composition import Composed
from flows.config.edit import Editor
from flows.config.faults import Faults
from flows.config.groups import RUN_FILE, GroupFiles, hydra_rules, unknown_choice
from flows.config.interpolate import resolve
from flows.config.limits import DEFAULT_LIMITS, ConfigLimits
from flows.config.order import order_of
from flows.config.overrides import COMMAND_LINE, Override, as_choice, read_overrides, set_override
from flows.config.places import project_configs
from flows.config.read import Document, read, read_run_file, read_yaml
from flows.config.settings import Choice, Setting
from flows.config.tree import (
    DEFAULTS,
    SUBFLOWS,
    Entry,
    ListNode,
    Node,
    Path,
    Section,
    dotted,
    find,
    merge,
    put,
    unknown,
)
from flows.errors import ConfigError, Place

NOT_IN_DEFAULTS = "No match in the defaults list"

DefaultFiles = Callable[[str], ClassDefaults]
InputTypes = Callable[[str], Mapping[str, str]]


def compose(
    path: FilePath,
    overrides: Sequence[str] = (),
    *,
    settings: Sequence[Setting | Choice] = (),
    known: Collection[str] = (),
    inputs: Collection[str] = (),
    default_files: DefaultFiles | None = None,
    inputs_of: InputTypes | None = None,
    configs: FilePath | None = None,
    limits: ConfigLimits = DEFAULT_LIMITS,
    faults: Faults | None = None,
) -> Composed:
    """Compose a run file, or the built-in config of that name in the working folder. Raises
    ConfigError (CheckError for several) with places; with `faults` what is wrong is kept there, and
    what it keeps from being known is unknown in the config.

    `settings` are what a program sets; they are laid over the file and under the overrides.
    `known` are keys that may stand at the top of a run file though this one has none of them;
    `inputs` are names of inputs besides those that the file declares. `default_files` gives the
    default config of a target, in files or as it was read, over which the file's own are laid;
    `inputs_of` the inputs of a target, with their types.
    `configs` takes the place of the project's own folder of groups.
    """
    found = Faults() if faults is None else faults
    own = configs or project_configs()
    written = read_run_file(path, own, limits, found)
    run_file = read_aiflows(written)
    folders = [path.parent, path.parent / "configs", *([own] if own else [])]
    with hydra_rules():
        composition = _Composition(
            GroupFiles(run_file, folders, limits, found), run_file, default_files, limits, inputs_of
        )
        given = [*map(set_override, settings), *read_overrides(overrides, faults=found)]
        if is_unwrapped(written, run_file):
            given = [unwrapped(each) for each in given]
        root = composition.root(given, known, inputs)
    resolved = _resolved(root, limits, found)
    if faults is None:
        found.raise_all()
    sources = [each.file for each in composition.files.documents.values() if each]
    return Composed(resolved, path, tuple(dict.fromkeys([*sources, *composition.default_files])))


def revise(
    tree: Section,
    overrides: Sequence[str],
    base: FilePath,
    *,
    known: Collection[str] = (),
    inputs_of: InputTypes | None = None,
    limits: ConfigLimits = DEFAULT_LIMITS,
    origin: str = COMMAND_LINE,
) -> Section:
    """A composed tree after further overrides, with the config groups beside `base`.

    `origin` is where the overrides were said, `inputs_of` gives the inputs of a target. There is no
    defaults list any more: `model=openai` puts an option where another one is. Raises ConfigError
    with places.
    """
    nothing = read_yaml("{}", base / f"{RUN_FILE}.yaml", limits)
    own = project_configs()
    folders = [base, base / "configs", *([own] if own else [])]
    faults = Faults()
    with hydra_rules():
        files = GroupFiles(nothing, folders, limits, faults)
        composition = _Composition(files, nothing, None, limits, inputs_of)
        given = read_overrides(overrides, origin, faults=faults)
        root = composition.revised(tree, given, known)
    resolved = _resolved(root, limits, faults)
    faults.raise_all()
    return resolved


class _Composition:
    def __init__(
        self,
        files: GroupFiles,
        run_file: Document,
        default_files: DefaultFiles | None,
        limits: ConfigLimits,
        inputs_of: InputTypes | None = None,
    ) -> None:
        self.inputs_of = inputs_of or (lambda _: {})
        self.files = files
        self.faults = files.faults
        self.run_file = run_file
        self.defaults_of = default_files
        self.limits = limits
        self.default_files: list[FilePath] = []

    def root(
        self, overrides: list[Override], known: Collection[str], inputs: Collection[str]
    ) -> Section:
        choices: list[Override] = []
        edits: list[Override] = []
        for each in overrides:
            with self.faults:
                (choices if self._is_choice(each) else edits).append(each)
        root = self.complete(self._merged(RUN_FILE, choices))
        assert isinstance(root, Section)
        return self.edited(root, edits, known, inputs)

    def revised(self, root: Section, overrides: list[Override], known: Collection[str]) -> Section:
        """The tree after choices of options and overrides of values, in their order."""
        for override in overrides:
            if override.value in self.files.options(override.key) and override.is_name:
                with self.faults:
                    root = self._put_option(root, override)
            else:
                root = self.edited(root, [override], known)
        return root

    def _put_option(self, root: Section, override: Override) -> Section:
        """The tree with an option of a group in its place: the group's key, or its `@package`."""
        document = self.files.document(f"{override.key}/{override.value}")
        assert document is not None  # it is among the options
        package = ConfigSource._get_header_dict(document.text).get("package") or override.key
        option = self.load_option(override.key, str(override.value), override)
        if package == "_global_":
            merged = merge(root, option)
            assert isinstance(merged, Section)
            return merged
        return put(root, tuple(package.split(".")), option, override.place)

    def edited(
        self,
        root: Section,
        overrides: list[Override],
        known: Collection[str],
        inputs: Collection[str] = (),
    ) -> Section:
        """The tree after overrides of its values, in their order."""
        files = self.files
        editor = Editor(
            known, inputs, self.inputs_of, files.options, self.load_option, self.complete
        )
        for override in overrides:
            with self.faults:
                root = editor.apply(root, override)
        return root

    def _is_choice(self, override: Override) -> bool:
        """Whether the override chooses an option of a config group."""
        if override.is_set:
            return override.is_name
        options = self.files.options(override.key)
        if not options:
            if "/" in override.key or override.package is not None:
                raise unknown_choice(self.files, f"{override.key}/", override.place, override.key)
            return False
        if isinstance(override.value, dict):
            return False
        if override.kind == "delete" and not override.has_value:
            return True
        if override.is_text or not isinstance(override.value, str | list):
            problem = f"the config group {override.key!r} takes the name of an option"
            raise ConfigError(problem, place=override.place, path=override.key, allowed=options)
        return True

    def _merged(self, name: str, choices: list[Override]) -> Section:
        """The documents of a defaults list, merged in Hydra's order."""
        root = Section({}, Place(self.run_file.origin, 1, 1))
        ordered: Sequence[ResultDefault] | None = None
        with self.faults:
            ordered = self._order(name, list(choices))
        if ordered is None:  # what is included is not known
            document = self.files.document(name)
            assert document is not None
            return replace(document.tree.without(DEFAULTS), open=True)
        for default in ordered:
            document = self.files.document(str(default.config_path))
            assert document is not None
            root = self._laid(root, document, default)
        return root

    def _laid(self, root: Section, document: Document, default: ResultDefault) -> Section:
        name = str(default.config_path)
        if name in self.files.missing and not self.files.is_group(name.rpartition("/")[0]):
            return replace(root, open=True)  # of no group: it may be meant for any key
        tree = document.tree.without(DEFAULTS)
        path = tuple((default.package or "").split(".")) if default.package else ()
        held = find(root, path)
        node = merge(held, tree) if held is not None else tree
        if not path:
            assert isinstance(node, Section)
            return node
        return put(root, path, node, tree.place)

    def _order(self, name: str, choices: list[Override]) -> Sequence[ResultDefault]:
        appended: set[str] = set()
        while True:
            hydra = [as_choice(each, append=each.text in appended) for each in choices]
            try:
                return order_of(self.files, name, hydra)
            except MissingConfigException as error:
                missing = str(error.missing_cfg_file)
                found = self._missing(missing, choices)
                if missing in self.files.documents and self.files.documents[missing] is not None:
                    raise found from error
                self.faults.keep(found)
                self.files.add_missing(missing)
            except (HydraException, ValueError, RecursionError) as error:
                blamed = self._blamed(str(error), choices)
                is_new = NOT_IN_DEFAULTS in str(error)
                if blamed and is_new and blamed.kind == "change" and blamed.text not in appended:
                    # A group that the file does not choose from is chosen without a `+` too.
                    appended.add(blamed.text)
                    continue
                if blamed is None:
                    raise self._explained(error, blamed) from error
                self.faults.keep(self._explained(error, blamed))
                choices.remove(blamed)

    def _blamed(self, message: str, choices: list[Override]) -> Override | None:
        """The override that Hydra's message is about."""
        for each in choices:
            key = each.key if each.package is None else f"{each.key}@{each.package}"
            if (
                f"'{key}'" in message
                or f" {key}." in message
                or f"'{each.text}'" in message
                or f"'{key}=" in message
            ):
                return each
        return None

    def _explained(self, error: Exception, blamed: Override | None) -> ConfigError:
        problem = str(error).strip().splitlines()[0]
        if isinstance(error, RecursionError):
            problem = "files that include each other"
        if blamed is None:
            return ConfigError(problem, place=self.run_file.place((DEFAULTS,)), path=DEFAULTS)
        meant = None
        if problem.startswith("Could not override") and blamed.package:
            problem = f"the defaults list has no {blamed.key}@{blamed.package}"
            meant = f"{blamed.package}={blamed.value}"
        elif blamed.kind in ("add", "force"):
            problem = "the defaults list chooses from this group already: leave out the `+`"
        return ConfigError(problem, place=blamed.place, path=blamed.key, meant=meant)

    def _missing(self, name: str, choices: list[Override]) -> ConfigError:
        for each in choices:
            values = each.value if isinstance(each.value, list) else [each.value]
            if name in (f"{each.key}/{value}" for value in values):
                return unknown_choice(self.files, name, each.place, each.key)
        for choice, node in self.files.choices():
            if name == choice or name.endswith(f"/{choice}"):
                return unknown_choice(self.files, name, node.place, DEFAULTS)
        return unknown_choice(self.files, name, self.run_file.place((DEFAULTS,)), DEFAULTS)

    def load_option(self, group: str, option: str, override: Override) -> Section:
        """The content of one option of a group, with what that file itself includes."""
        name = f"__{group}_{option}__"
        text = f"{DEFAULTS}: [{{/{group}@_global_: {option}}}]"
        self.files.add(name, read_yaml(text, FilePath(override.place.origin), self.limits))
        section = self._merged(name, [])
        del self.files.documents[name]
        return section

    def complete(self, node: Node, depth: int = 0) -> Node:
        """The node laid over the default configs of its target and of its subflows' targets."""
        if self.defaults_of is None or not isinstance(node, Section):
            return node
        target = node.target
        defaults = self._defaults(target) if target else ClassDefaults()
        for default in reversed(defaults.parts):
            if depth > self.limits.depth:
                problem = f"the default config of {target!r} contains itself"
                raise ConfigError(problem, place=node.place)
            part = default.content
            if isinstance(part, FilePath):
                self.default_files.append(part)
                part = read(part, self.limits, faults=self.faults).tree
                part = resolve(part, self.limits, self.faults)  # in the file, as aiflows does
            written = with_package(read_defaults(part), default.package)
            assert isinstance(written, Section)
            node = merge(written.without("_target_"), node)
            assert isinstance(node, Section)
        subflows = node.section(SUBFLOWS)
        if subflows is None:
            return node
        for key, entry in subflows.entries.items():
            inner = self.complete(with_package(entry.node, defaults.package, deep=False), depth + 1)
            if inner is not entry.node:
                subflows = subflows.with_entry(key, Entry(entry.key_place, inner))
        return node.with_entry(SUBFLOWS, Entry(node.entries[SUBFLOWS].key_place, subflows))

    def _defaults(self, target: str) -> ClassDefaults:
        """The default configs of a target; none where what is wrong with them is kept."""
        assert self.defaults_of is not None
        with self.faults:
            return self.defaults_of(target)
        return ClassDefaults()


def _resolved(root: Section, limits: ConfigLimits, faults: Faults) -> Section:
    """The root with its interpolations resolved, and without what may not be in it."""
    entry = root.entries.get("hydra")
    if entry is not None:
        problem = "Hydra's own settings have no effect here"
        faults.keep(ConfigError(problem, place=entry.key_place, path="hydra"))
        root = root.without("hydra")
    resolved = resolve(root, limits, faults)
    given = _without_missing(resolved, (), faults, {})
    assert isinstance(given, Section)
    return given


def _without_missing(
    node: Node, path: Path, faults: Faults, told: dict[Place, ConfigError]
) -> Node:
    """The node with an unknown value for every `???` that nothing has filled; it is `told` once for
    each place where it stands."""
    if isinstance(node, Section):
        entries = dict(node.entries)
        for key, entry in node.entries.items():
            inner = _without_missing(entry.node, (*path, key), faults, told)
            if inner is not entry.node:
                entries[key] = Entry(entry.key_place, inner)
        same = all(each is node.entries[key] for key, each in entries.items())
        return node if same else replace(node, entries=entries)
    if isinstance(node, ListNode):
        found = [
            _without_missing(each, (*path, n), faults, told) for n, each in enumerate(node.items)
        ]
        same = all(new is old for new, old in zip(found, node.items, strict=True))
        return node if same else replace(node, items=tuple(found))
    if not node.is_missing:
        return node
    if node.place not in told:
        name = dotted(path)
        problem = f"a value must be given, for example with {name}=..."
        told[node.place] = ConfigError(problem, place=node.place, path=name)
        faults.keep(told[node.place])
    return unknown(node.place)
