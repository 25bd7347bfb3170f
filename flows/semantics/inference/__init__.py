"""The semantic model that data tell by themselves: from profiles, and from looks at the data."""
