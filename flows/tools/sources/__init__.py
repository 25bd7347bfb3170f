"""Sources of functions that an agent may call, and how a call is made."""
