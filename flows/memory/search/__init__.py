"""One search over several stores at once, whose results become one ranking with their origins."""
