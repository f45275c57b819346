"""The read half of the Durable Streams protocol: the log of a session for clients of that protocol."""
