"""Tests whether groups differ or columns depend on each other."""
