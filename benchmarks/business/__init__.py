"""Data sets whose drivers are known, documents about them, and business questions over both."""
