"""The viewers' side of a log: what this instance hears of watched sessions, in order and without holes."""
