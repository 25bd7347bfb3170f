"""Data files of every kind: found, unpacked, and told to DuckDB."""
