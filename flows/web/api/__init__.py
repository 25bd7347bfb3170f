"""The JSON API: flows, runs, their events, questions and artifacts."""
