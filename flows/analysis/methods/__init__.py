"""Requests that SQL is not enough for: words to a typed study, to Python code, to an answer."""
