"""Ways to ask a person: at the terminal, never, or from a file of answers."""
