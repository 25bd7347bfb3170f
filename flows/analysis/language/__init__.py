"""Words: text to tokens, the general English of questions, and how words name identifiers."""
