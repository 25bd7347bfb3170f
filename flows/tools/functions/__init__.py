"""Tools that are plain Python functions: read, documented, tested, found and kept."""
