"""Attacks with bodies: many faults, no end, half of them, wrong shapes."""

from __future__ import annotations

from tests.attacks.attack import Attack, Target

SMALL = 60_000


def filled(unit: bytes, size: int) -> bytes:
    """A list of so many bytes, or a little less, of this element."""
    return b"[" + b",".join([unit] * (size // (len(unit) + 1))) + b"]"


def run_input(**fields: bytes) -> bytes:
    """The body of a run at the AG-UI door; a field that is named replaces the usual one."""
    usual = {"threadId": b'"t"', "runId": b'"r"', "messages": b"[]", "tools": b"[]", "context": b"[]"}
    every = {**usual, **fields}
    return b"{" + b",".join(b'"%s":%s' % (name.encode(), value) for name, value in every.items()) + b"}"


class Repeated(Attack):
    """The same few bodies again and again, from one address."""

    def bodies(self) -> list[tuple[str, bytes]]:
        """Paths, and what is posted there."""
        raise NotImplementedError

    def strike(self, target: Target) -> None:
        """Post them in turn."""
        chosen = self.bodies()
        while not target.over:
            for path, body in chosen:
                if not target.over:
                    target.request("POST", path, body, address="10.66.0.1")


class ManyFaults(Repeated):
    """Bodies that are wrong in a million places."""

    name = "bodies many faults"

    def bodies(self) -> list[tuple[str, bytes]]:
        """As large as a door takes them, and larger."""
        large = [run_input(**{field: filled(b"{}", 1_000_000)}) for field in ("resume", "tools", "messages")]
        huge = run_input(resume=filled(b"{}", 7_500_000))
        unknown = b"{" + b",".join(b'"%x":1' % each for each in range(6_000)) + b"}"
        more = b"{" + b",".join(b'"%x":1' % each for each in range(600_000)) + b"}"
        runs = [("/agui/submission", each) for each in [*large, huge]]
        return [*runs, ("/v1/tickets", unknown), ("/v1/tickets", more), ("/v1/sessions", more)]
