"""The events that a run shows: texts, results of calls, progress, blocks and changes of the state."""
