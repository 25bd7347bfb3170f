"""Graphs that are broken in their keys, each with what a check must say of it and where, and with
what mends it."""
