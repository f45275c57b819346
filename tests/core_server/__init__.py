"""A reference server of the contract in docs/core: the embedded catalog and items, and faults on demand."""

from tests.core_server.faults import CoreFault, CoreFaults
from tests.core_server.server import CoreServer

__all__ = ["CoreFault", "CoreFaults", "CoreServer"]
