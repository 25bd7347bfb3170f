"""Conversation: what a person's next words mean after the turns before them."""
