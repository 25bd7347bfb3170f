"""Tables and figures of a run, as files that are safe to open."""
