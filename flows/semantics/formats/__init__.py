"""The semantic model as a file: Apache Ossie read and written, dbt read."""

from flows.semantics.formats.declaration import Declaration, OmittedPart
from flows.semantics.formats.files import check_file, read_declaration, read_model
from flows.semantics.formats.ossie_text import write_model

__all__ = [
    "Declaration",
    "OmittedPart",
    "check_file",
    "read_declaration",
    "read_model",
    "write_model",
]
