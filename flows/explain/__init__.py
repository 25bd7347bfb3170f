"""Where a value of a run comes from, back to the bytes that a model was sent."""
