"""What rows say by rules: one module for each shape of a result."""
