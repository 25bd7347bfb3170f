"""Documents: files in a folder to text with places, and text to passages."""
