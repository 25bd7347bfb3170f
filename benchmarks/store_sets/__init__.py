"""Made stores with questions whose answers are computed from their data."""
