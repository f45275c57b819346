"""The catalog of products, and the search in it."""
