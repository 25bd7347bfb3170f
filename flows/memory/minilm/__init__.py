"""The embedder all-MiniLM-L6-v2, of the extra `semantic`: its files, its model, its cache."""
