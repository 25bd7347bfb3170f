"""A target predicted for rows that lack it, by the models of the pipeline."""
