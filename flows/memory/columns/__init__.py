"""Columnar stores: records of one kind in Parquet files, asked in words and answered by DuckDB."""
