"""The tasks of the manager for SQL: one wide table, groups of it, a thing beside the others."""
