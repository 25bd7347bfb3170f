"""Facts of documents by rules: labels and their values, each with the passage behind it."""
