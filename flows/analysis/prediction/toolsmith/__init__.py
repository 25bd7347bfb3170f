"""The tools that the rules make for the data at hand, and the trial of whether they help."""
