"""Tests of a normal distribution."""
