"""The questions of an item: which is asked next, what a message says of it and of others, and the asking price."""
