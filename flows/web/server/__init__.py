"""The application that the page and the service share, what guards it, and how it listens."""
