"""Values where documents put them: crossings of rows and columns, ranges, dimensions, sentences."""

from __future__ import annotations

from typing import Any

import pytest

from flows.analysis.extraction.rules import find_fields
from flows.data.documents.blocks import Block
from flows.data.documents.passages import passages_of

NUMBER: dict[str, Any] = {"type": "number"}
FIELDS: dict[str, dict[str, Any]] = {
    "order_code": {"words": ("order no",)},
    "supplier": {},
    "buyer": {"words": ("client",)},
    "designer": {},
    "insurer": {},
    "insured": {},
    "wood": {"values": ("oak", "red oak", "ash")},
    "pets": {"type": "boolean", "words": ("pets allowed",)},
    "assembly": {"type": "boolean", "words": ("assembly required",)},
    "parts": {"type": "list", "words": ("spare parts",)},
    "chest_width_m": {**NUMBER, "unit": "cm"},
    "total_quantity": {"type": "integer"},
    "bags": {"type": "integer", "words": ("number of bags",)},
    "moisture": {**NUMBER, "unit": "%"},
    "box_length": {**NUMBER, "unit": "cm"},
    "box_width": {**NUMBER, "unit": "cm"},
    "gross_weight": {**NUMBER, "unit": "kg"},
    "net_weight": {**NUMBER, "unit": "kg"},
    "minimum_temperature": {**NUMBER, "unit": "\u00b0C"},
    "maximum_temperature": {**NUMBER, "unit": "\u00b0C"},
    "lead_time": {**NUMBER, "unit": "days"},
    "price": {**NUMBER, "unit": "EUR"},
    "pieces_per_box": {"type": "integer"},
    "due": {"type": "date", "words": ("due date",)},
    "interest": {**NUMBER, "unit": "%", "words": ("interest on late payment",)},
}


def found(*blocks: Block) -> list[tuple[str, str]]:
    fields = [{"name": name, **spec} for name, spec in FIELDS.items()]
    passages = [each.model_dump() for each in passages_of(blocks)]
    reply = find_fields({"passages": passages, "fields": fields})
    for each in reply.fields:
        assert each.quote in passages[each.passage - 1]["text"]
        assert each.value in each.quote
    return [(each.name, each.value) for each in reply.fields]


def text(said: str, section: str = "") -> Block:
    return Block(text=said, section=section)


def table(*rows: str) -> list[Block]:
    cells = [tuple(each.strip() for each in row.split("|")) for row in rows]
    return [Block(text=" | ".join(filter(None, row)), table=1, cells=row) for row in cells]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        # Behind the name, with words between that link them.
        ("The lead time is now forty-five days.", [("lead_time", "forty-five days")]),
        ("The lead time must not exceed 3 weeks.", [("lead_time", "3 weeks")]),
        ("Moisture was measured at 9.7 %, far below.", [("moisture", "9.7 %")]),
        ("We agreed on a price of 45.55 EUR a piece.", [("price", "45.55 EUR")]),
        ("The gross weight of a full box comes to 10.3 kg.", [("gross_weight", "10.3 kg")]),
        ("Price at the time of writing: 4.424 EUR.", [("price", "4.424 EUR")]),
        ("The due date is Sunday, 25 August 2024.", [("due", "Sunday, 25 August 2024")]),
        ("Order no. HH 379.617 of 13 December 2023", [("order_code", "HH 379.617")]),
        ("It is designed by Jon Halvorsen.", [("designer", "Jon Halvorsen")]),
        # Before it.
        ("It comes in two hundred and ten bags.", [("bags", "two hundred and ten")]),
        ("A box weighs 9 kg, of which 7.2 kg are net weight.", [("net_weight", "7.2 kg")]),
        ("between A. Betriebe and Meridian Foods (the \"Client\")", [("buyer", "Meridian Foods")]),
        # By what measures it.
        ("A box is 55 cm long and 40 cm wide.", [("box_length", "55 cm"), ("box_width", "40 cm")]),
        ("Each box holds twenty-six pieces.", [("pieces_per_box", "twenty-six")]),
        # Ranges.
        ("Temperature: 2 to 8 \u00b0C", [("minimum_temperature", "2"),
                                         ("maximum_temperature", "8 \u00b0C")]),
        ("Keep it at a temperature between -5 \u00b0C and 8 \u00b0C.",
         [("minimum_temperature", "-5 \u00b0C"), ("maximum_temperature", "8 \u00b0C")]),
        ("Temperature: min. 2 \u00b0C, max. 8 \u00b0C",
         [("minimum_temperature", "2 \u00b0C"), ("maximum_temperature", "8 \u00b0C")]),
        # Several in one.
        ("Box size (L x W): 60 x 40 cm", [("box_length", "60"), ("box_width", "40 cm")]),
        ("Gross / net weight: 9 kg / 7 kg", [("gross_weight", "9 kg"), ("net_weight", "7 kg")]),
        ("Late payment: interest at 5.5 % p.a.", [("interest", "5.5 % p.a.")]),
        # Words and answers.
        ("Wood: red oak, from Slovenia", [("wood", "red oak")]),
        ("Supplier: Weber AG (since 2019)", [("supplier", "Weber AG")]),
        ("Pets are not allowed on board.", [("pets", "not allowed")]),
        ("[x] Pets allowed", [("pets", "[x]")]),
        ("[ ] Pets allowed", [("pets", "[ ]")]),
        ("Assembly required? No", [("assembly", "No")]),
        ("Insurer: Borealis Insured: Lucie Martin",
         [("insurer", "Borealis"), ("insured", "Lucie Martin")]),
        # What is said of something else, or of nothing.
        ("The previous lead time was 120 days.", []),
        ("Carton price: 4 EUR", []),
        ("The carton price is 4 EUR.", []),
        ("The lead time is 5 kg.", []),
        ("The price is not 5 EUR.", []),
        ("Is assembly required?", []),
    ],
)  # fmt: skip
def test_what_a_text_states(said: str, expected: list[tuple[str, str]]) -> None:
    assert found(text(said)) == expected


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (("POM | S | M", "Chest width | 50 | 52*", "Hem | 49 | 51"), [("chest_width_m", "52")]),
        (("Size | Quantity", "S | 400", "M | 300", "Total | 700"), [("total_quantity", "700")]),
        (("Lot | Bags", "one | 30", "two | 10", "TOTAL | 40"), [("bags", "40")]),
        (("Lot | Bags", "one | 30", "two | 10"), []),
        (("Lot | Bags | Note", "one | 30 | wet"), [("bags", "30")]),
        (("Test | Method | Result | Limit", "Moisture | ISO 6673 | 9,7 % | 12,5 %"),
         [("moisture", "9,7 %")]),
        (("Property | Target | Measured | Unit", "Net weight | 7 | 7.2 | kg"),
         [("net_weight", "7.2")]),
        (("Parts | Strength", "gear | high", "shaft | low", "Sum | 2"),
         [("parts", "gear"), ("parts", "shaft")]),
        (("Gross weight | 9 kg | Net weight | 7 kg", "Bags | 4 | Wood | ash"),
         [("gross_weight", "9 kg"), ("net_weight", "7 kg"), ("bags", "4"), ("wood", "ash")]),
        (("Total | 17.600,00 EUR (at 12 % moisture)", "Price | - "), [("moisture", "12 %")]),
        (("a | b | c", "1", "Moisture | 9 % | x | y | z"), [("moisture", "9 %")]),
    ],
)  # fmt: skip
def test_rows_of_tables(rows: tuple[str, ...], expected: list[tuple[str, str]]) -> None:
    assert found(*table(*rows)) == expected


def test_items_below_a_line_that_names_a_list() -> None:
    lines = ("Keep these spare parts:", "(a) gear;", "(b) shaft.", "Not this.", "(c) nor this")
    assert found(*map(text, lines)) == [("parts", "gear"), ("parts", "shaft")]
    short = (text("gear", "3 Spare parts"), text("shaft", "3 Spare parts"))
    assert found(*short) == [("parts", "gear"), ("parts", "shaft")]
