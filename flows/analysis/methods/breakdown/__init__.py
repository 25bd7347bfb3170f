"""A target broken down by every column that may say something of it."""
