"""The database's own clock in ms since the epoch: leases never depend on the clock of a host."""

from typing import Any

from sqlalchemy import BigInteger
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement


class now_ms(FunctionElement[int]):
    """The time of the statement; the same value throughout one statement."""

    type = BigInteger()
    inherit_cache = True
    name = "now_ms"


@compiles(now_ms, "sqlite")
def _sqlite(element: now_ms, compiler: SQLCompiler, **options: Any) -> str:
    return "CAST(ROUND((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER)"


@compiles(now_ms, "postgresql")
def _postgresql(element: now_ms, compiler: SQLCompiler, **options: Any) -> str:
    return "CAST(EXTRACT(EPOCH FROM statement_timestamp()) * 1000 AS BIGINT)"
