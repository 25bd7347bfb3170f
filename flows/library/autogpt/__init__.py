"""The AutoGPT loop: memory, controller, executor, the person, and round again."""
