"""Loopwire: a realtime conversation server for agents. Start it as `python -m server`."""

__version__ = "0.1.0"
