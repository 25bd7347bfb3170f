"""Growth and changes from step to step."""
