"""Talking to people over a network: where questions come in and answers go out."""
