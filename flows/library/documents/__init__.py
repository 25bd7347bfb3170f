"""Long documents worked through part by part: facts with the passage behind each, and tables."""
