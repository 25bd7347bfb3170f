"""Predicting columns of tables: what the task is, how it is planned, checked and reviewed."""
