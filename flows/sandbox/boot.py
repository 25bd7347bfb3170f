"""The first file of every child process: finds this package without the folder it lies in.

    python -I boot.py PACKAGE_FOLDER LIBRARY_FOLDERS MODULE [ARGUMENT ...]

The folder above the package is not put on the path, because the walls do not let it be listed.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys


def main() -> int:
    package, libraries, module, *arguments = sys.argv[1:]
    sys.path += [each for each in libraries.split(os.pathsep) if each and each not in sys.path]
    place = os.path.join(package, "__init__.py")  # noqa: PTH118 - pathlib costs a start 10 ms
    spec = importlib.util.spec_from_file_location(
        "flows", place, submodule_search_locations=[package]
    )
    assert spec is not None
    assert spec.loader is not None
    flows = importlib.util.module_from_spec(spec)
    sys.modules["flows"] = flows
    spec.loader.exec_module(flows)
    sys.argv = [module, *arguments]
    return int(importlib.import_module(module).main(arguments) or 0)


if __name__ == "__main__":
    sys.exit(main())
