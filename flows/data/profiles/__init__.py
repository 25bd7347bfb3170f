"""What tables hold: columns measured, keys and joins found."""
