"""The shares of receivers and orderers in the posts of a process, as senders and outboxes name them."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import String
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

from server.store.posts import Callback


@dataclass(frozen=True, slots=True)
class FullShares:
    """The receivers and orderers whose posts are left for later, since as many are posted as may be at once."""

    receivers: frozenset[str] = frozenset()
    """As `receiver_of` names them."""
    orderers: frozenset[str] = frozenset()
    """Principals."""
    strangers: bool = False
    """Whether the posts of all strangers are left for later."""

    def __bool__(self) -> bool:
        return bool(self.receivers or self.orderers or self.strangers)


NONE_FULL = FullShares()


def receiver_of(callback: Callback) -> str:
    """Return the app of a callback and the host of its address, with the port that the address names."""
    rest = callback.url.replace("?", "/").replace("#", "/").split("/", 3)
    return f"{callback.app} {rest[2].lower()}"


class receiving_host(FunctionElement[str]):
    """The host of an address, with its port, in small letters."""

    type = String()
    inherit_cache = True
    name = "receiving_host"


@compiles(receiving_host, "sqlite")
def _sqlite(element: receiving_host, compiler: SQLCompiler, **options: Any) -> str:
    url = compiler.process(element.clauses, **options)
    rest = f"replace(replace(substr({url}, instr({url}, '://') + 3), '?', '/'), '#', '/')"
    return f"lower(substr({rest}, 1, instr({rest} || '/', '/') - 1))"


@compiles(receiving_host, "postgresql")
def _postgresql(element: receiving_host, compiler: SQLCompiler, **options: Any) -> str:
    url = compiler.process(element.clauses, **options)
    return f"lower(split_part(translate({url}, '?#', '//'), '/', 3))"
