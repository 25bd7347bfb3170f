"""Correlations."""
