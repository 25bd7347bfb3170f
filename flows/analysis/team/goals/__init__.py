"""From a business question to tasks: what it is about, what it wants, which tasks that takes."""
