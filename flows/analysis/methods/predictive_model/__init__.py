"""Models that are tested on rows that they have not seen."""
