"""The tools of a conversation's agents, each a flow of its own."""
