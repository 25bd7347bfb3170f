"""Everything in one folder: data, documents, questions in two halves, and the truth."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Final

from business import production, shop, warehouse
from business.about_carriers import carrier_questions
from business.about_gapminder import gapminder_questions, production_questions
from business.about_shop import shop_questions
from business.about_warehouses import warehouse_questions
from business.asked import Asked
from business.documents import write_documents
from business.planted import planted_questions

HALVES: Final = ("tuning", "held")


def build(folder: Path, rows: int = production.ROWS) -> dict[str, Path]:
    """Write it all anew; returns the files of questions by their half."""
    folder.mkdir(parents=True, exist_ok=True)
    warehouse.write_logistics(folder / "logistics.db")
    shop.write_shop(folder / "shop.db")
    production.write_production(folder / "production.parquet", rows)
    write_documents(folder / "docs")
    truths = (*warehouse.TRUTHS, *shop.TRUTHS, production.PRODUCTION)
    text = json.dumps([asdict(each) for each in truths], indent=1)
    (folder / "truth.json").write_text(text, encoding="utf-8")
    made = (warehouse_questions, carrier_questions, shop_questions, gapminder_questions,
            production_questions, planted_questions)  # fmt: skip
    split = halves([each(folder) for each in made])
    return {half: _written(folder / f"{half}.jsonl", split[half]) for half in HALVES}


def halves(groups: Sequence[Sequence[Asked]]) -> dict[str, list[Asked]]:
    """Half of each group for tuning, half held back, by a hash of the question; but for those whose
    half is set."""
    found: dict[str, list[Asked]] = {half: [] for half in HALVES}
    for group in groups:
        free = sorted((each for each in group if not each.half), key=_lot)
        for each in group:
            if each.half:
                found[each.half].append(each)
        for each in free:
            found[min(HALVES, key=lambda half: (len(found[half]), half))].append(each)
    return found


def _lot(asked: Asked) -> str:
    return sha256(asked.question.encode()).hexdigest()


def _written(path: Path, questions: Iterable[Asked]) -> Path:
    lines = (json.dumps(each.line(), ensure_ascii=False) for each in questions)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
