"""What endpoints share: what they work with, and who may come in."""
