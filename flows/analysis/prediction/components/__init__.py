"""What the tools of the model phase are made of: one module each, which a tool takes in.

No plan calls them by themselves.
"""
