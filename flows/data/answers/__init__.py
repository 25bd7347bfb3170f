"""Numbers of an answer and the cells they come from."""
