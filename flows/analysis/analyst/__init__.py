"""The rule-based analyst as a role: a question over tables in, one proposal or one telling out."""
