"""What drives a column."""
