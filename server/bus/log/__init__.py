"""The log of a session in Redis: its entries, its scripts, and who may continue from where."""
