"""Running totals."""
