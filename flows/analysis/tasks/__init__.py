"""Task texts: a question with constraints, and a form whose named fields the answer fills."""
