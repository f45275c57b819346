"""The demo model's reading of a message: its intent, the offered name that it means, the words to search for."""
