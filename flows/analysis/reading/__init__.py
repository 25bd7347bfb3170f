"""Rules that turn a linked question into a typed plan."""
