"""Vector stores: named texts that are found by what they say."""
