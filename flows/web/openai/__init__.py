"""Flows as models, for clients of OpenAI's API."""
