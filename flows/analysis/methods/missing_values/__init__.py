"""Values that are missing."""
