"""Entity stores: what is known of things by their keys."""
