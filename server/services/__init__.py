"""Services, found by being there: every module of this package with an attribute `service`."""

import sys

from server.agents.service import Service, found

__all__ = ["Service", "services"]


def services() -> dict[str, Service]:
    """All services by name; importing them is all it does."""
    return found(sys.modules[__name__])
