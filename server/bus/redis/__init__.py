"""The connections to Redis, and the embedded server that takes its place when none is configured."""
