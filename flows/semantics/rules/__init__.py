"""The rules that a request has to keep, by what they are about."""
