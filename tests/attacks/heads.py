"""Attacks with what stands before a body: methods, addresses, headers, cookies."""

from __future__ import annotations

from tests.attacks.attack import Attack, Target

PATHS = [
    "/", "//", "/..", "/%2e%2e/etc/passwd", "/static/../server/app.py", "/static/%2e%2e/%2e%2e/server/app.py",
    "/%", "/%zz", "/%ff", "/s/%F0%9F%92%A9", "/s/ses_1/older?before=%ff", "/v1/sessions?limit=00005099999",
    "/v1/sessions?before=%ff", "/v1/sessions?limit=000050" + "9" * 30, "/v1/sessions?" + "a=b&" * 4000,
    "/v1/sessions/" + "x" * 8000,
    "/agui/%00", "/agui/../v1/sessions", "/items/'%20or%201=1", "/?service=" + "%27" * 2000, "/healthz?" + "%" * 9000,
]  # fmt: skip


class OddPaths(Attack):
    """Addresses that lead nowhere, out of the tree, or are no address."""

    name = "heads odd paths"

    def strike(self, target: Target) -> None:
        """Ask for each in turn, by every method."""
        turn = 0
        while not target.over:
            path = PATHS[turn % len(PATHS)]
            method = ("GET", "HEAD", "OPTIONS", "DELETE")[turn // len(PATHS) % 4]
            target.request(method, path, address=f"10.66.1.{turn % 200}")
            turn += 1


class Nothing(Attack):
    """Requests for what is not there, as fast as one client can."""

    name = "heads nothing there"
    in_suite = True
    seconds = 3.0

    def strike(self, target: Target) -> None:
        """Ask for addresses that never were."""
        while not target.over:
            target.request("GET", f"/nothing/{target.rng.randrange(10**9)}", address="10.66.2.1")
