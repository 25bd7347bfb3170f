"""The controller: a goal taken apart, the next command, what a remark changes, the end."""
