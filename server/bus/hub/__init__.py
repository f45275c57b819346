"""The viewers' side of a log: what this instance receives of watched sessions, in order and without holes."""
