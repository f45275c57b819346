"""The things that a message names: parts, things of others, what is kept back and what is not sold here."""
