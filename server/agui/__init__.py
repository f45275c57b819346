"""The AG-UI endpoint: one POST is one run, answered as AG-UI events."""
