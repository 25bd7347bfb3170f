"""Straight lines over time."""
