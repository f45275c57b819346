"""Blocks as typed data, and the builder that makes HTML of them."""
