"""analyst-flows: agents for data, declared in YAML."""
