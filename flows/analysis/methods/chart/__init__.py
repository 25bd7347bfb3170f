"""Charts of what a question gives."""
