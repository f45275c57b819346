"""Generated requests: thousands of different ones, honest but for what chance made wrong."""

from __future__ import annotations

import http.client
import json
from contextlib import suppress

from tests.attacks.attack import Attack, Target
from tests.attacks.generate import Known, Requests

AGAIN = 400
"""After so many requests the visitor is a new one: the old one may have left, or deleted what it had."""


class Generated(Attack):
    """Requests of every path, made by chance from a seed."""

    name = "fuzz requests"
    in_suite = True
    seconds = 45.0

    def strike(self, target: Target) -> None:
        """Send them, each on a connection of its own; one that is never complete is ended by us."""
        number = 0
        requests = Requests(target.rng, target.host, Known())
        while not target.over:
            if number % AGAIN == 0:
                requests = Requests(target.rng, target.host, visitor(target, number // AGAIN))
            data = requests.next()
            target.exchange(data, complete=not requests.whole)
            number += 1

    def check(self, target: Target) -> None:
        """What is generated has to reach what lies behind the first checks."""
        if not target.statuses[200]:
            target.faults.append(f"nothing was let in: {dict(target.statuses)}")


def visitor(target: Target, number: int) -> Known:
    """Become a visitor with a conversation and a ticket for it."""
    line = http.client.HTTPConnection(target.host, timeout=30)
    address = {
        "X-Forwarded-For": f"10.68.{number // 250 % 250}.{number % 250}",
        "Content-Type": "application/json",
    }
    with suppress(OSError, KeyError):
        line.request("POST", "/v1/tickets", json.dumps({"service": "chat"}), address)
        answer = line.getresponse()
        cookie = (answer.getheader("set-cookie") or "").partition(";")[0]
        told = json.loads(answer.read())
        line.close()
        return Known(cookie, told["session_id"], told["ticket"])
    return Known()
