"""Where compiled libraries and the list of fonts are kept between starts of the zygote.

Only a zygote that has not run anything yet may write there, and only behind Landlock, so that it
can give that right away before it forks. Then the next one starts in a third of the time.
"""

from __future__ import annotations

import sys
from pathlib import Path

from flows.sandbox.cache import cache_folder


def kept_folder() -> Path | None:
    """The folder in this user's cache, made if need be; None where nobody else is kept out."""
    return cache_folder(f"python-{sys.version_info.major}.{sys.version_info.minor}")
