"""Functions by rules: which one answers a question, with which arguments, and what it told."""
