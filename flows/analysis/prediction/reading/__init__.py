"""The reader of a task: from its text and the profiles of its tables to a checked task."""
