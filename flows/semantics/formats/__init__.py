"""The semantic model as a file: Apache Ossie read and written, dbt read."""

from flows.semantics.formats.declaration import Declaration, Notice
from flows.semantics.formats.files import check_file, read_declaration, read_model
from flows.semantics.formats.ossie_text import write_model

__all__ = ["Declaration", "Notice", "check_file", "read_declaration", "read_model", "write_model"]
