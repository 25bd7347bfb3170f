"""The cells of a notebook, and the file that holds them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NotRequired, TypedDict


class NotebookCell(TypedDict):
    """A cell of a notebook, as its format 4 has it; the last two only of code."""

    cell_type: str
    metadata: dict[str, list[str]]
    source: str
    execution_count: NotRequired[None]
    outputs: NotRequired[list[object]]


def text_cell(source: str) -> NotebookCell:
    """A cell of Markdown."""
    return {"cell_type": "markdown", "metadata": {}, "source": source}


def code_cell(source: str, *, may_fail: bool = False) -> NotebookCell:
    """A cell of code that has not run. Of one that may fail an error does not stop the notebook."""
    metadata = {"tags": ["raises-exception"]} if may_fail else {}
    return {"cell_type": "code", "metadata": metadata, "execution_count": None, "outputs": [],
            "source": source}  # fmt: skip


def notebook_file(cells: Sequence[NotebookCell]) -> bytes:
    """The notebook of these cells."""
    numbered = [{**cell, "id": f"cell-{place}"} for place, cell in enumerate(cells)]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    book = {
        "cells": numbered,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(book, indent=1, ensure_ascii=True).encode()
