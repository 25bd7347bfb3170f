"""A language model that is none: a server on loopback that answers as a script says."""
