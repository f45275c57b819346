"""The clauses of an answer: those that say nothing of its question, tell of a fault or change something."""
