"""Histograms and frequencies."""
