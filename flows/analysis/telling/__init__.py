"""A plan and its result in words."""
