"""Long documents made from seeds: templates in two halves, and what each document says."""
