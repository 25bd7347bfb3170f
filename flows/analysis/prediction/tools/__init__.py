"""The tools that ship: one module each, which runs by itself in the sandbox."""
