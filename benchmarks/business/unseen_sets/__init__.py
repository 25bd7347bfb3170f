"""Data sets of trades that no rule is made by, each with its questions and their truths."""
