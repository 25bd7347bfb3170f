"""Change explained: a measure in two periods, and what each group adds to the difference."""
