"""Questions, analyses, batches and exports, for command line, page and Python alike."""
