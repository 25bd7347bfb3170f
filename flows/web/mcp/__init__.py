"""Flows as tools of the Model Context Protocol."""
