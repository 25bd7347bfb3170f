"""What a report's page may do: run the scripts and take the styles whose hashes it names."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from typing import Final

# plotly.js makes an empty <style> and fills it by script, which needs the hash of nothing. That of
# its maps, which are never drawn here, it adds as text, if there is none of that id.
_EMPTY: Final = ""
_STYLE_OF_MAPS: Final = re.compile(r'\.id="([0-9a-f]{64})",\w+\.textContent=')
# The only style attributes that plotly.js sets as text: of tags in labels, and of heat maps.
_RENDERING: Final = (
    "optimizeSpeed", "-moz-crisp-edges", "-o-crisp-edges", "-webkit-optimize-contrast",
    "optimize-contrast", "crisp-edges", "pixelated",
)  # fmt: skip
_ATTRIBUTES: Final = (
    "", "font-size:70%", "text-decoration:line-through", "text-decoration:underline",
    "font-weight:bold", "font-style:italic", "font-style:italic;font-weight:bold",
    "".join(f"image-rendering: {each}; " for each in _RENDERING),
)  # fmt: skip


def drawing_styles() -> tuple[str, str]:
    """The styles that plotly.js sets while it draws, as sources for a Content-Security-Policy: of
    elements, and of attributes."""
    return _hashes((_EMPTY,)), f"'unsafe-hashes' {_hashes(_ATTRIBUTES)}"


def page_policy(scripts: Sequence[str], style: str) -> str:
    """The Content-Security-Policy for a page with these scripts and this style sheet."""
    elements, attributes = drawing_styles()
    return (
        f"default-src 'none'; script-src {_hashes(scripts)}; "
        f"style-src-elem {_hashes((style,))} {elements}; style-src-attr {attributes}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def styles_of(script: str) -> list[str]:
    """The ids of style sheets that plotly.js would add, if the page had none of them."""
    return _STYLE_OF_MAPS.findall(script)


def _hashes(texts: Sequence[str]) -> str:
    found = (hashlib.sha256(each.encode()).digest() for each in texts)
    return " ".join(f"'sha256-{base64.b64encode(each).decode()}'" for each in found)
