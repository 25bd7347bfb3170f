"""Outliers."""
