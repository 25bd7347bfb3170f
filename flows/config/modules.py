"""Python modules beside a run file: found there, and imported from nowhere else in the folder.

`sys.path` stays as it is, so that no other module of the folder can be imported by accident, or
take the place of one that is installed. A name that is installed is never looked for in the folder.
"""

from __future__ import annotations

import sys
import traceback
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import module_from_spec
from pathlib import Path
from types import ModuleType

from flows.config.packages import install_line
from flows.config.read import shown
from flows.config.typed_dict import typed_dict_problem
from flows.errors import ConfigError


def module_beside(name: str, folder: Path | None) -> Path | None:
    """The file of the module in the folder, or the folder of the package; None if it has none."""
    found = _spec_beside(name, folder) if folder is not None else None
    if found is None:
        return None
    return Path(found.origin) if found.origin else Path(next(iter(_search(found))))


def import_trusted(name: str, folder: Path | None) -> ModuleType:
    """Import a module by its dotted name: an installed one, or one in the folder.

    Errors: `ModuleNotFoundError` when there is none; `ConfigError` that names the line of code when
    the module itself is wrong.
    """
    top = name.partition(".")[0]
    try:
        if folder is not None and not _is_elsewhere(top, folder):
            _load_beside(top, folder)
        elif folder is not None:
            _forget_beside(top)
        return import_module(name)
    except ModuleNotFoundError as error:
        # One that is missing on the way to the name is the caller's to tell.
        if error.name is not None and f"{name}.".startswith(f"{error.name}."):
            raise
        raise broken(name, error, folder) from error
    except (Exception, SystemExit) as error:
        raise broken(name, error, folder) from error


def _is_elsewhere(top: str, folder: Path) -> bool:
    """Whether the name is not the folder's: it is installed, or there is none in the folder."""
    loaded = sys.modules.get(top)
    if loaded is not None and not _was_beside(loaded):
        return True
    if _spec_beside(top, folder) is None:
        return True
    finders = (each for each in sys.meta_path if hasattr(each, "find_spec"))
    found = next((spec for each in finders if (spec := each.find_spec(top, None))), None)
    return found is not None and (found.origin is not None or found.loader is not None)


def _forget_beside(top: str) -> None:
    """Forget a module that lay beside the run file of another folder, which has no say here."""
    loaded = sys.modules.get(top)
    if loaded is not None and _was_beside(loaded):
        _forget(top)


def _forget(top: str) -> None:
    for each in [each for each in sys.modules if each == top or each.startswith(f"{top}.")]:
        del sys.modules[each]


def _load_beside(top: str, folder: Path) -> None:
    """Import the folder's module, in the place of one of that name from another folder."""
    spec = _spec_beside(top, folder)
    assert spec is not None
    loaded = sys.modules.get(top)
    if loaded is not None and loaded.__spec__ is not None and _same(loaded.__spec__, spec):
        return
    _forget(top)
    module = module_from_spec(spec)
    module.__dict__[_MARK] = True
    sys.modules[top] = module
    try:
        if spec.loader is not None:
            spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[top]
        raise


_MARK = "__beside_a_run_file__"


def _was_beside(module: ModuleType) -> bool:
    return bool(module.__dict__.get(_MARK))


def _spec_beside(name: str, folder: Path | None) -> ModuleSpec | None:
    if folder is None or not name.isidentifier():
        return None
    return PathFinder.find_spec(name, [str(folder.absolute())])


def _same(one: ModuleSpec, other: ModuleSpec) -> bool:
    return (one.origin, list(_search(one))) == (other.origin, list(_search(other)))


def _search(spec: ModuleSpec) -> list[str]:
    return list(spec.submodule_search_locations or ())


def broken(name: str, error: BaseException, folder: Path | None) -> ConfigError:
    """What is wrong in a module, with the line of it."""
    if isinstance(error, SyntaxError) and error.filename:
        where = f"{shown(Path(error.filename))}:{error.lineno or 1}:{max(error.offset or 1, 1)}"
        return ConfigError(f"{name} cannot be imported: {where}: {error.msg}")
    frames = traceback.extract_tb(error.__traceback__)
    engine = Path(__file__).parent
    own = [
        each
        for each in frames
        if "importlib" not in each.filename and Path(each.filename).parent != engine
    ]
    # What a package says of the code that uses it stands at the line of that code.
    own = [each for each in own if not _is_installed(each.filename)] or own
    where = f"{_place_of(own[-1])}: " if own else ""
    if reason := typed_dict_problem(error):
        return ConfigError(f"{name} cannot be imported: {where}{reason}")
    hint = ""
    if isinstance(error, ModuleNotFoundError) and (by_hand := install_line(error.name or "")):
        hint = f"; install it with: {by_hand}"
    elif isinstance(error, ModuleNotFoundError) and module_beside(error.name or "", folder):
        hint = f"; to import what is beside it, make one package of both: a folder {name}/"
    said = str(error).partition("\n\n")[0]  # what follows is a page of advice, as pydantic's
    return ConfigError(f"{name} cannot be imported: {where}{type(error).__name__}: {said}{hint}")


def _place_of(frame: traceback.FrameSummary) -> str:
    """`FILE:LINE:COLUMN` of a frame."""
    column = (frame.colno or 0) + 1
    return f"{shown(Path(frame.filename))}:{frame.lineno}:{column}"


def _is_installed(file: str) -> bool:
    return not {"site-packages", "dist-packages"}.isdisjoint(Path(file).parts)
