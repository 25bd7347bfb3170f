"""Scatter plots."""
