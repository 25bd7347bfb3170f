"""What data mean (the semantic model) and what was asked of them (the request), typed."""
