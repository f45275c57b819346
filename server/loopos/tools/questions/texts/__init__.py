"""The free texts of an item: what is written in them, added, taken out or asked back."""
