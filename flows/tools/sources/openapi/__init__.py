"""OpenAPI documents: each operation of an API as a function."""
