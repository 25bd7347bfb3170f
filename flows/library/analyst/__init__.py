"""The analyst team: a manager, data agents, a shared memory and a summarizer, as flows."""
