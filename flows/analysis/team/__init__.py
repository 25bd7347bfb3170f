"""The roles of the analyst team by rules: each action's typed inputs in, its reply out."""
