"""A data dictionary that somebody wrote: CSV, TSV, JSON, YAML or Excel, headed in many ways."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

from flows.config.json_faults import json_fault
from flows.config.limits import ConfigLimits
from flows.config.parse import parse
from flows.config.read import read_text, shown
from flows.config.tree import ListNode, Node, Section, ValueNode, plain, planted
from flows.data.files.workbook_limits import check_workbook
from flows.data.meaning.dictionary import DataDictionary, DictionaryEntry
from flows.errors import ConfigError, Place, SourceError, nearest

# The first spelling that a file has is the one that is meant.
_SPELLINGS = {
    "table": ("table", "table_name", "dataset", "relation", "model", "file", "source", "sheet"),
    "column": (
        "original_column_name", "column", "column_name", "col", "name", "field", "field_name",
        "variable", "variable_name", "attribute", "attribute_name", "feature", "header",
    ),
    "description": (
        "description", "desc", "column_description", "field_description", "meaning", "definition",
        "explanation", "comment", "comments", "label", "notes", "details", "text",
    ),
    "unit": ("unit", "units", "unit_of_measure", "unit_of_measurement", "uom", "measured_in"),
    "synonyms": (
        "synonyms", "synonym", "aliases", "alias", "also_called", "also_known_as", "other_names",
    ),
    "type": ("type", "data_type", "datatype", "dtype", "data_format", "format", "column_type"),
}  # fmt: skip
_TOLD = ("description", "unit", "synonyms", "type")
_SEPARATOR = re.compile(r"\s*[,;|]\s*")
_LISTS = ("tables", "models", "sources", "datasets", "entries", "columns", "fields", "dictionary")
_COLUMNS = ("columns", "fields", "variables", "attributes")
_ENDINGS = (".csv", ".tsv", ".tab", ".txt", ".json", ".yaml", ".yml", ".xlsx", ".xls", ".ods")
_EXCEL = (".xlsx", ".xlsm", ".xls", ".xlsb", ".ods")
_LIMITS = ConfigLimits(bytes=8 * 1024 * 1024, nodes=400_000)
_LONGEST = 2000


@dataclass(frozen=True, slots=True)
class _Reader:
    """Makes entries of one file and says where each of them stands."""

    origin: str

    def entry(self, line: int | None, table: str, told: dict[str, str]) -> DictionaryEntry:
        texts = {key: _one_line(each) for key, each in told.items() if key != "synonyms"}
        words = tuple(filter(None, _SEPARATOR.split(_one_line(told.get("synonyms", "")))))
        where = self.origin if line is None else f"{self.origin}:{line}"
        return DictionaryEntry(**{"table": _one_line(table), **texts}, synonyms=words, place=where)

    def error(self, problem: str, line: int | None = None, meant: str | None = None) -> ConfigError:
        return ConfigError(problem, place=Place(self.origin, line), meant=meant)


def read_dictionary(path: Path) -> DataDictionary:
    """The entries of a file. Errors: `ConfigError` with file and line."""
    reader = _Reader(shown(path))
    ending = path.suffix.casefold()
    if ending in _EXCEL:
        entries = list(_of_excel(path, reader))
    elif ending in (".json", ".yaml", ".yml"):
        entries = list(_of_nodes(_node(path, ending, reader), reader))
    elif ending in _ENDINGS:
        entries = list(_of_text(read_text(path, _LIMITS), reader))
    else:
        raise reader.error(f"a dictionary's name ends in {', '.join(_ENDINGS)}")
    if not entries:
        raise reader.error("the dictionary has no entries")
    return DataDictionary(entries=tuple(entries))


def _of_text(text: str, reader: _Reader) -> Iterator[DictionaryEntry]:
    first = next((line for line in text.splitlines() if line.strip()), "")
    delimiter = max("\t,;|", key=first.count)
    rows = csv.reader(StringIO(text, newline=""), delimiter=delimiter, strict=True)
    numbered = []
    while True:
        line = rows.line_num + 1
        try:
            numbered.append((line, next(rows)))
        except StopIteration:
            break
        except csv.Error as error:
            raise reader.error(f"this row cannot be read: {error}", line) from error
    yield from _of_rows(numbered, reader)


def _of_excel(path: Path, reader: _Reader) -> Iterator[DictionaryEntry]:
    import python_calamine

    try:
        check_workbook("dictionary", path)
        book = python_calamine.CalamineWorkbook.from_path(str(path))
        sheets = [(name, book.get_sheet_by_name(name).to_python()) for name in book.sheet_names]
    except (OSError, SourceError, python_calamine.CalamineError) as error:
        raise reader.error(f"the file cannot be read: {error}") from error
    filled = [(name, rows) for name, rows in sheets if rows]
    for name, rows in filled:
        numbered = [(line, [str(cell) for cell in row]) for line, row in enumerate(rows, start=1)]
        sheet = _Reader(f"{reader.origin}[{name}]") if len(filled) > 1 else reader
        yield from _of_rows(numbered, sheet, name if len(filled) > 1 else "")


def _of_rows(
    rows: Sequence[tuple[int, Sequence[str]]], reader: _Reader, table: str = ""
) -> Iterator[DictionaryEntry]:
    """Entries of rows with a heading. A cell that is left out is empty; `table` is the default."""
    filled = [(line, row) for line, row in rows if any(cell.strip() for cell in row)]
    if not filled:
        return
    line, heading = filled[0]
    places = _places(heading)
    if "column" not in places or not any(key in places for key in _TOLD):
        raise _unheaded(heading, line, reader)
    for line, row in filled[1:]:
        if len(row) > len(heading) and any(cell.strip() for cell in row[len(heading) :]):
            raise reader.error(
                f"this row has {len(row)} values for {len(heading)} columns; a value that holds "
                "the delimiter needs quotes around it",
                line,
            )
        told = {key: row[place] for key, place in places.items() if place < len(row)}
        named = told.pop("table", "").strip() or table
        if not told["column"].strip() and not named:
            raise reader.error("this row names no column", line)
        yield reader.entry(line, named, told)


def _unheaded(heading: Sequence[str], line: int, reader: _Reader) -> ConfigError:
    found = ", ".join(cell.strip() for cell in heading if cell.strip())[:200]
    known = [each for spellings in _SPELLINGS.values() for each in spellings]
    meant = next((near for cell in heading if (near := nearest(_name(cell), known))), None)
    return reader.error(
        "the first row must name the columns of the dictionary: column (or name, field), and "
        f"description (or meaning, definition), unit or type; it has: {found}",
        line,
        meant,
    )


def _places(heading: Sequence[str]) -> dict[str, int]:
    """Which column of the file holds what."""
    names = [_name(cell) for cell in heading]
    found: dict[str, int] = {}
    for key, spellings in _SPELLINGS.items():
        place = next((names.index(each) for each in spellings if each in names), None)
        if place is not None and place not in found.values():
            found[key] = place
    return found


def _name(text: str) -> str:
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", text.strip())
    return re.sub(r"[\W_]+", "_", spaced.casefold()).strip("_")


def _node(path: Path, ending: str, reader: _Reader) -> Node:
    text = read_text(path, _LIMITS)
    if ending == ".json":
        try:
            value = json.loads(text)
        except (ValueError, RecursionError) as error:
            line = getattr(error, "lineno", None)
            raise reader.error(f"this is not JSON: {json_fault(error)}", line) from error
        try:
            return parse(text, reader.origin, _LIMITS) or planted(value, Place(reader.origin))
        except ConfigError:  # JSON that YAML does not read, so that nobody knows its lines
            return planted(value, Place(reader.origin))
    node = parse(text, reader.origin, _LIMITS)
    if node is None:
        raise reader.error("the file is empty", 1)
    return node


def _of_nodes(node: Node, reader: _Reader, table: str = "") -> Iterator[DictionaryEntry]:
    """Entries of a list, or of a mapping from names to what they mean."""
    if isinstance(node, ListNode):
        for item in node.items:
            if not isinstance(item, Section):
                problem = "an entry must be a mapping, as {column: ..., description: ...}"
                raise reader.error(problem, item.place.line)
            yield from _of_item(item, reader, table)
    elif isinstance(node, Section):
        keys = {_name(key): key for key in node.entries}
        held = next((keys[each] for each in _LISTS if each in keys), None)
        inner = node.entries[held].node if held is not None else None
        if isinstance(inner, ListNode) or (held is not None and len(node.entries) == 1):
            yield from _of_nodes(node.entries[held].node, reader, table)  # type: ignore[index]
        else:
            yield from _of_mapping(node, reader, table)
    else:
        raise reader.error("the dictionary must be a list or a mapping", node.place.line)


def _of_item(item: Section, reader: _Reader, table: str) -> Iterator[DictionaryEntry]:
    """A column with what is said of it, or a table with its columns."""
    keys = {_name(key): key for key in item.entries}
    texts = {name: _text(item.entries[key].node) for name, key in keys.items()}
    told = _told(texts)
    columns = next((item.entries[keys[each]].node for each in _COLUMNS if each in keys), None)
    nested = next((item.entries[keys[each]].node for each in _LISTS if each in keys), None)
    line = item.place.line
    if columns is None and not isinstance(nested, (ListNode, Section)):
        if not told.get("column"):
            raise reader.error("this entry names no column", line)
        yield reader.entry(line, told.pop("table", "") or table, told)
        return
    name = told.get("table") or told.get("column") or table
    if told.get("description") and columns is not None:
        yield reader.entry(line, name, {"description": told["description"]})
    inner = nested if columns is None else columns
    if inner is not None:
        yield from _of_nodes(inner, reader, table if columns is None else name)


def _of_mapping(node: Section, reader: _Reader, table: str) -> Iterator[DictionaryEntry]:
    for key, entry in node.entries.items():
        value, line = entry.node, entry.key_place.line
        if isinstance(value, ValueNode):
            yield reader.entry(line, table, {"column": key, "description": _text(value)})
        elif isinstance(value, Section) and (told := _plainly_told(value)):
            yield reader.entry(line, told.pop("table", "") or table, {**told, "column": key})
        elif isinstance(value, Section) and not table:
            names = {_name(each): each for each in value.entries}
            own = next((names[each] for each in _COLUMNS if each in names), None)
            about = _told({n: _text(value.entries[k].node) for n, k in names.items()})
            if own is not None and about.get("description"):
                yield reader.entry(line, key, {"description": about["description"]})
            inner = value if own is None else value.entries[own].node
            yield from _of_nodes(inner, reader, key)
        elif isinstance(value, ListNode) and not table:
            yield from _of_nodes(value, reader, key)
        else:
            raise reader.error(f"what {key!r} means must be text, or a mapping", line)


def _plainly_told(value: Section) -> dict[str, str]:
    """What is said of a column, if nothing but texts with names that we know is in it."""
    texts = {_name(key): each.node for key, each in value.entries.items()}
    known = {name for key in (*_TOLD, "table") for name in _SPELLINGS[key]}
    lists = _SPELLINGS["synonyms"]
    plainly = (isinstance(node, ValueNode) or name in lists for name, node in texts.items())
    if not all(plainly) or not known.issuperset(texts):
        return {}
    told = _told({name: _text(node) for name, node in texts.items()})
    return told if any(told.get(key) for key in _TOLD) else {}


def _told(texts: dict[str, str]) -> dict[str, str]:
    """The texts by the names that an entry has for them."""
    found = {}
    for key, spellings in _SPELLINGS.items():
        name = next((each for each in spellings if texts.get(each)), None)
        if name is not None:
            found[key] = texts[name]
    return found


def _text(node: Node) -> str:
    """A scalar as text, and a list of texts as one with commas."""
    value = plain(node)
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return ", ".join(value)
    return str(value) if isinstance(value, (str, int, float)) else ""


def _one_line(text: str) -> str:
    return " ".join(text.split())[:_LONGEST]
