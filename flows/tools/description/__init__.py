"""What a function does and takes, read from its signature, types and docstring."""
