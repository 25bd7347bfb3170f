"""Packages that are not installed: their names, and the line that installs them."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterable
from typing import Final

# Modules whose package has another name than theirs with dashes.
_NAMES: Final = {
    "bs4": "beautifulsoup4",
    "docx": "python-docx",
    "googleapiclient": "google-api-python-client",
    "serpapi": "google-search-results",
    "sklearn": "scikit-learn",
    "yaml": "pyyaml",
}
# Those that pip cannot put beside the others, as they ask for old versions of them.
_BY_HAND: Final = {
    "aiflows": "pip install --no-deps aiflows==0.1.7 colorama colorlog diskcache "
    "'huggingface-hub<1' jsonlines",
}
_SAID = re.compile(r"pip install\s+(?:-U\s+|--upgrade\s+|--quiet\s+|-q\s+)*['\"]?([\w.\[\],-]+)")


def missing_module(modules: Iterable[str]) -> str | None:
    """The first of the modules that is not installed; none of them is imported."""
    return next((each for each in modules if not _is_installed(each)), None)


def missing_package(what: str, error: ImportError) -> str:
    """That `what` needs a package, by what an import said of it, and the line that installs it."""
    said = _SAID.search(str(error))
    if said is not None:
        return needed(what, said[1].rstrip(".,"))
    if error.name and not _is_installed(error.name.partition(".")[0]):
        return needed(what, package_of(error.name))
    return f"{what} needs a package that is not installed: {error}"


def needed(what: str, package: str) -> str:
    return f"{what} needs a package that is not installed; run: pip install {package}"


def install_line(module: str) -> str:
    """The command that installs a module's package, where it is not just its name; else ""."""
    return _BY_HAND.get(module.partition(".")[0], "")


def package_of(module: str) -> str:
    """The name that a module's package is installed by."""
    top = module.partition(".")[0]
    return _NAMES.get(top, top.replace("_", "-"))


def _is_installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except (ImportError, ValueError):  # its parent is gone, or it was loaded in an odd way
        return False
