"""The phrases of questions, a module for each kind, as parts of a request."""
