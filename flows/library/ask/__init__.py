"""One question over data, answered from cells, asked back, or declined with its reason."""
