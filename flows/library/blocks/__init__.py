"""Flows that the finished systems share."""
