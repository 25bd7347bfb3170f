"""Ways to ask a person: at the terminal, later, never, or from a file of answers."""
