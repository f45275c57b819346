"""The holder's side of a log: it numbers events, sends them to Redis, and keeps what Redis has not confirmed."""
