"""Moving averages."""
