"""Wishes of a message about answers that are written: what is to go from them, and what is to stand there."""
