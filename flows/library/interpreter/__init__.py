"""The interpreter: searches and revises its own functions, calls them, and answers with sources."""
