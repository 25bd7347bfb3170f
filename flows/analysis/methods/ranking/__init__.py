"""Rank and share within groups."""
