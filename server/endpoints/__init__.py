"""The parts that endpoints share: their dependencies, and the check of who may come in."""
