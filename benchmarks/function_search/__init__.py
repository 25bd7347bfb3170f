"""Searching functions: plain methods to compare with, and measures."""
