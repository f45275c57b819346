"""The one exception of the checks."""


class Fault(Exception):
    """What a server did that the wire does not allow; the text says it in one sentence."""


def require(holds: bool, fault: str) -> None:
    """Raise Fault with this text unless something holds."""
    if not holds:
        raise Fault(fault)
