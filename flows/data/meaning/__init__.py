"""What columns and words mean: the data dictionary and the glossary."""
