"""Our side of the Agents SDK within a run: one segment of it, its hooks, the tap on the model's stream, its queues."""
