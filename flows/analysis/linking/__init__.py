"""The words of a question tied to the tables, columns and values that they name."""
