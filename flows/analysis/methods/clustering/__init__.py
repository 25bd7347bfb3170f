"""K-means clusters."""
