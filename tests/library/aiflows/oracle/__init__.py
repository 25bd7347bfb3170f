"""The same files in aiflows 0.1.7 itself and here: what is compared, and with what."""
