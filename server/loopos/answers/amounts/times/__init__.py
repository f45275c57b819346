"""What an answer says of other times and events than the one that is asked about."""
