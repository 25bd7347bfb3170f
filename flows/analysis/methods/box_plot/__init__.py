"""Box plots and violins."""
