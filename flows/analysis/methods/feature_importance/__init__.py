"""What matters most for a column."""
