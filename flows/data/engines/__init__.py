"""Database engines behind one protocol, opened so that they can only read."""
