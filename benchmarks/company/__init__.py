"""Made companies: their data, the functions over them, and questions with their answers."""
