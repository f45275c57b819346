"""Sessions with their messages, files, budgets and revocations."""
