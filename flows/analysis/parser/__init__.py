"""Requests as English that a person could have typed, and that English as requests again."""
