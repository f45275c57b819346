"""The command serves the web as one of many processes; it executes runs too unless LOOPWIRE_WORKERS_IN_WEB=0."""

from server.cli.serve import web as run

__all__ = ["run"]
