"""The unit tests of the phases: one module each, which runs by itself in the sandbox."""
