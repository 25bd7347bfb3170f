"""Survival: how long it takes until something happens, when it has not happened to all yet."""
