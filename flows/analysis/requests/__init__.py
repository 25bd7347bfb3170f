"""Between the parser's plans and studies, which name tables and columns, and the typed request."""
