"""The report of a pipeline: what each phase did, as a page and as a notebook."""
