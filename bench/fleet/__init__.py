"""Two instances: what it costs that a session may be watched from the one that does not run it."""
