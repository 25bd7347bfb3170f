"""Runs of run files for many people at once: queued, answered, watched, and gone on with."""
