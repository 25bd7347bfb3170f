"""A run file with its defaults list and overrides becomes one checked tree of values.

Weakest first: a flow's default file, the run file's defaults list, the run file, the overrides in
their order. Nothing of Hydra's stays behind in the process: no logging, no folder, no global.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path as FilePath

from hydra.core.default_element import ResultDefault
from hydra.errors import HydraException, MissingConfigException
from hydra.plugins.config_source import ConfigSource

from flows.config.aiflows import (
    is_unwrapped,
    package_of,
    read_aiflows,
    read_defaults,
    unwrapped,
    with_package,
)
from flows.config.composition import Composed, raise_all
from flows.config.edit import Editor
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
    Node,
    Section,
    ValueNode,
    dotted,
    find,
    leaves,
    merge,
    put,
)
from flows.errors import ConfigError, Place

NOT_IN_DEFAULTS = "No match in the defaults list"

DefaultFile = Callable[[str], FilePath | None]
InputTypes = Callable[[str], Mapping[str, str]]


def compose(
    path: FilePath,
    overrides: Sequence[str] = (),
    *,
    settings: Sequence[Setting | Choice] = (),
    known: Collection[str] = (),
    inputs: Collection[str] = (),
    default_file: DefaultFile | None = None,
    inputs_of: InputTypes | None = None,
    configs: FilePath | None = None,
    limits: ConfigLimits = DEFAULT_LIMITS,
) -> Composed:
    """Compose a run file, or the built-in config of that name in the working folder. Raises
    ConfigError (CheckError for several) with places.

    `settings` are what a program sets; they are laid over the file and under the overrides.
    `known` are keys that may stand at the top of a run file though this one has none of them;
    `inputs` are names of inputs besides those that the file declares. `default_file` gives the
    file with the default config of a target, over which the file's own entries are laid;
    `inputs_of` the inputs of a target, with their types.
    `configs` takes the place of the project's own folder of groups.
    """
    own = configs or project_configs()
    written = read_run_file(path, own, limits)
    run_file = read_aiflows(written)
    folders = [path.parent, path.parent / "configs", *([own] if own else [])]
    with hydra_rules():
        composition = _Composition(
            GroupFiles(run_file, folders, limits), run_file, default_file, limits, inputs_of
        )
        given = [*map(set_override, settings), *read_overrides(overrides)]
        if is_unwrapped(written, run_file):
            given = [unwrapped(each) for each in given]
        root = composition.root(given, known, inputs)
    _refuse_hydra(root)
    resolved = resolve(root, limits)
    _refuse_missing(resolved)
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
    with hydra_rules():
        files = GroupFiles(nothing, folders, limits)
        composition = _Composition(files, nothing, None, limits, inputs_of)
        root = composition.revised(tree, read_overrides(overrides, origin), known)
    _refuse_hydra(root)
    resolved = resolve(root, limits)
    _refuse_missing(resolved)
    return resolved


class _Composition:
    def __init__(
        self,
        files: GroupFiles,
        run_file: Document,
        default_file: DefaultFile | None,
        limits: ConfigLimits,
        inputs_of: InputTypes | None = None,
    ) -> None:
        self.inputs_of = inputs_of or (lambda _: {})
        self.files = files
        self.run_file = run_file
        self.default_file = default_file
        self.limits = limits
        self.default_files: list[FilePath] = []

    def root(
        self, overrides: list[Override], known: Collection[str], inputs: Collection[str]
    ) -> Section:
        choices = [each for each in overrides if self._is_choice(each)]
        root = self.complete(self._merged(RUN_FILE, choices))
        assert isinstance(root, Section)
        return self.edited(root, [each for each in overrides if each not in choices], known, inputs)

    def revised(self, root: Section, overrides: list[Override], known: Collection[str]) -> Section:
        """The tree after choices of options and overrides of values, in their order."""
        for override in overrides:
            if override.value in self.files.options(override.key) and override.is_name:
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
        for default in self._order(name, choices):
            document = self.files.document(str(default.config_path))
            assert document is not None
            root = self._laid(root, document, default)
        return root

    def _laid(self, root: Section, document: Document, default: ResultDefault) -> Section:
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
                raise self._missing(error, choices) from error
            except (HydraException, ValueError, RecursionError) as error:
                blamed = self._blamed(str(error), choices)
                is_new = NOT_IN_DEFAULTS in str(error)
                if blamed and is_new and blamed.kind == "change" and blamed.text not in appended:
                    # A group that the file does not choose from is chosen without a `+` too.
                    appended.add(blamed.text)
                    continue
                raise self._explained(error, blamed) from error

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

    def _missing(self, error: MissingConfigException, choices: list[Override]) -> ConfigError:
        name = str(error.missing_cfg_file)
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
        if self.default_file is None or not isinstance(node, Section):
            return node
        target = node.target
        package = package_of(target, FilePath(self.run_file.origin).parent) if target else ""
        file = self.default_file(target) if target else None
        if file is not None:
            if depth > self.limits.depth:
                problem = f"the default config of {target!r} contains itself"
                raise ConfigError(problem, place=node.place)
            self.default_files.append(file)
            written = with_package(read_defaults(read(file, self.limits).tree), package)
            assert isinstance(written, Section)
            node = merge(written.without("_target_"), node)
            assert isinstance(node, Section)
        subflows = node.section(SUBFLOWS)
        if subflows is None:
            return node
        for key, entry in subflows.entries.items():
            inner = self.complete(with_package(entry.node, package, deep=False), depth + 1)
            if inner is not entry.node:
                subflows = subflows.with_entry(key, Entry(entry.key_place, inner))
        return node.with_entry(SUBFLOWS, Entry(node.entries[SUBFLOWS].key_place, subflows))


def _refuse_hydra(root: Section) -> None:
    entry = root.entries.get("hydra")
    if entry is not None:
        problem = "Hydra's own settings have no effect here"
        raise ConfigError(problem, place=entry.key_place, path="hydra")


def _refuse_missing(root: Section) -> None:
    """Raise for every `???` that nothing has filled, once for each place where it stands."""
    errors: dict[Place, ConfigError] = {}
    for path, node in leaves(root):
        if isinstance(node, ValueNode) and node.is_missing:
            name = dotted(path)
            problem = f"a value must be given, for example with {name}=..."
            errors.setdefault(node.place, ConfigError(problem, place=node.place, path=name))
    raise_all(list(errors.values()))
