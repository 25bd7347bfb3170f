"""The SQL firewall."""
