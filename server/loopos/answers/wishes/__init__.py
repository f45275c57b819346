"""Wishes about a text that is written: what is to go, what is to stand there, and the text that follows from them."""
