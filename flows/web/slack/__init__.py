"""A Slack application: questions in channels, answered by the runs of a run file."""
