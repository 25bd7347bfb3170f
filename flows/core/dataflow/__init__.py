"""What is known of the keys that go through a graph, before it runs."""
