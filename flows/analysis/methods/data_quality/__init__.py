"""What is wrong with a table: duplicates, gaps, markers, spellings, impossible values."""
