"""The conversation of a session as runs and readers need it: snapshots, cache, paths, old messages, references."""
