"""Reports: what a run found as one HTML page, Markdown, a notebook, JSON."""
