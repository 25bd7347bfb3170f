"""What runs left: finding them, reading them, comparing them."""
