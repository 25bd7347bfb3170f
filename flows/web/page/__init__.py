"""The page: a chat about data, the hosted flows, and their runs."""
