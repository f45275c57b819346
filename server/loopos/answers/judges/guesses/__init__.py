"""Guesses of what an answer means that the rules of its kind of question do not read, or read as its opposite."""
