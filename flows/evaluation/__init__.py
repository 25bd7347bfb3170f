"""Answers beside what was expected: cases, comparing, counting, keeping what was right."""
