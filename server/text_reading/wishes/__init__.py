"""Agreements, questions, corrections and wishes: parts of a message that do something beside answering."""
