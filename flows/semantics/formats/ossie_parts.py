"""The parts of an Apache Ossie document, each alone: what their own keys say of our model's.

Everything that needs other parts of the document, such as the expression of a metric, is read by
`ossie`.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from sqlglot import exp

from flows.config.tree import ValueNode
from flows.errors import ConfigError, Place
from flows.semantics.formats.declaration import assumed
from flows.semantics.formats.expressions import DIALECTS
from flows.semantics.formats.keys import Keys, texts_of
from flows.semantics.formats.sql_trees import sql_tree
from flows.semantics.model import Dataset, DataType, Role, SemanticField

COMMON: Final = ("description", "ai_context", "custom_extensions")
MODEL: Final = ("name", *COMMON, "datasets", "relationships", "metrics")
DATASET: Final = (
    "name", "source", "primary_key", "unique_keys", "fields", "metrics", *COMMON,
)  # fmt: skip
FIELD: Final = ("name", "expression", "dimension", "label", "datatype", *COMMON)
RELATIONSHIP: Final = ("name", "from", "to", "from_columns", "to_columns", *COMMON)
METRIC: Final = ("name", "expression", "datatype", *COMMON)

# The second half are the names that drafts of the format had.
DATATYPES: Final[dict[str, DataType]] = {
    "String": "text", "Integer": "integer", "Float": "real", "Decimal": "real",
    "Boolean": "boolean", "Date": "date", "Time": "time", "DateTime": "timestamp",
    "DateTimeTz": "timestamp", "Opaque": "other",
    "number": "real", "timestamp": "timestamp", "timestamp_tz": "timestamp", "other": "other",
}  # fmt: skip
_FOLDED: Final = {name.casefold(): name for name in DATATYPES}
TIMES: Final = ("date", "time", "timestamp")

Texts = list[tuple[str, str, Place]]


def synonyms(keys: Keys) -> tuple[str, ...]:
    """The other names of a part. A text in place of the mapping is an instruction, not names."""
    node = keys.node("ai_context")
    if node is None or isinstance(node, ValueNode):
        return ()
    return Keys(node, "the `ai_context`").texts("synonyms")


def expressions(keys: Keys) -> Texts:
    """The dialects of an expression, each with its text and place."""
    held = keys.keys("expression", "an expression", ("dialects",))
    if held is None:
        raise ConfigError(f"{keys.what} needs the key 'expression'", place=keys.place)
    found = []
    for item in held.items("dialects"):
        each = Keys(item, "a dialect", ("dialect", "expression"))
        dialect = each.text("dialect", required=True)
        place = each.place_of("expression")
        found.append((dialect, each.text("expression", required=True), place))
    if not found:
        raise ConfigError("an expression needs one dialect", place=held.place)
    return found


def datatype(keys: Keys) -> DataType | None:
    text = keys.choice("datatype", tuple(_FOLDED))
    return DATATYPES[_FOLDED[text]] if text else None


def alone(texts: Texts) -> str:
    """The column, where the expression is nothing but its name; empty where it is more."""
    held = {dialect: (text, place) for dialect, text, place in texts}
    found = next(((held[each], name) for each, name in DIALECTS.items() if each in held), None)
    if found is None:
        return ""
    (text, place), dialect = found
    tree = sql_tree(text, dialect, place)
    return tree.name if isinstance(tree, exp.Column) and len(tree.parts) == 1 else ""


def field_core(keys: Keys, links: Collection[str]) -> SemanticField:
    """A field, but for its expression. `links` are columns of keys and relationships."""
    name = keys.text("name", required=True)
    column = alone(expressions(keys))
    type_ = datatype(keys)
    dimension = keys.keys("dimension", "the `dimension`", ("is_time",))
    is_time = dimension.flag("is_time") if dimension else None
    role = _role(type_, is_time, dimension is not None, bool({name, column} & set(links)))
    part = SemanticField(
        name=name,
        column=column,
        type=type_ or "other",
        role=role,
        words=synonyms(keys),
        description=keys.text("description"),
        inferred=False,
    )
    unsaid = {"role"} if is_time is not True else set()
    return assumed(part, unsaid | _left_out(keys, {"type": "datatype"}))


def _role(type_: DataType | None, is_time: bool | None, dimension: bool, link: bool) -> Role:
    if is_time or (is_time is None and type_ in TIMES):
        return "time"
    if link:
        return "identifier"
    if type_ == "boolean":
        return "flag"
    return "measure" if type_ in ("integer", "real") and not dimension else "category"


def dataset_core(keys: Keys) -> Dataset:
    """A dataset without its fields and keys. Its source is `database.schema.table`."""
    name = keys.text("name", required=True)
    source, table = _source(keys)
    noun = " ".join(name.replace("_", " ").split()) or name
    part = Dataset(
        name=name,
        source=source,
        table=table,
        noun=noun,
        plural=noun,
        words=synonyms(keys),
        description=keys.text("description"),
        fields=(),
    )
    return assumed(part, {"noun", "plural"} | _left_out(keys, {}))


def _source(keys: Keys) -> tuple[str, str]:
    text, place = keys.text("source", required=True), keys.place_of("source")
    try:
        tree = sql_tree(text, "", place)
    except ConfigError:
        tree = exp.Null()
    if isinstance(tree, exp.Column | exp.Dot):
        names = [each.name for each in tree.find_all(exp.Identifier, bfs=False)]
        names = [each.name for each in tree.parts] if isinstance(tree, exp.Column) else names
        return ".".join(names[:-1]), names[-1]
    problem = "a source is the name of a table, such as shop.orders; a query must be a view first"
    raise ConfigError(problem, place=place)


def _left_out(keys: Keys, others: dict[str, str]) -> set[str]:
    """The attributes of a part that the file does not say."""
    names = {"description": "description", **others}
    left = {attribute for attribute, key in names.items() if key not in keys}
    return left if synonyms(keys) else left | {"words"}


def unique_keys(keys: Keys) -> list[tuple[str, ...]]:
    found = []
    for item in keys.items("unique_keys"):
        inner = getattr(item, "items", None)
        if inner is None:
            problem = "a unique key is a list of columns, such as [first_name, last_name]"
            raise ConfigError(problem, place=item.place)
        found.append(tuple(texts_of(inner, "unique_keys")))
    return found
