"""Child processes behind walls in which queries run."""
