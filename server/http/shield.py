"""The checks that every request passes: only pages of this server may send; every answer has the security headers."""

from collections.abc import Mapping, MutableMapping
from http import HTTPStatus
from typing import Any

from server import patterns
from server.apps import DEMO
from server.asgi import Asgi, Receive, Scope, Send
from server.auth import COOKIE_SECONDS, KEY_PREFIX, Origins, cookie_name, headers_of, names_one_host
from server.endpoints.caller_resolver import CallerResolver, ResolvedCaller
from server.errors import BadFrame, Forbidden, ForeignOrigin, LoopwireError
from server.http.body_limits import Bodies, CountedBody
from server.http.cors import OPEN, cors_headers, preflight
from server.http.failures import error_response
from server.http.guess_limit import GuessLimit
from server.http.read_limit import ReadLimit
from server.limits import Limits
from server.proxies import counted_client

SAFE = {"GET", "HEAD", "OPTIONS"}
BAD_REQUEST = HTTPStatus.BAD_REQUEST.value
NOBODY = (
    "/static/",
    "/widget",
    "/health",
    "/readyz",
    "/manifest.webmanifest",
    "/service-worker.js",
    "/offline",
)
"""Paths whose answers are the same for all callers, so that no visitor is looked for."""

OF_PROGRAMS = ("/loopos_ai_", "/chat", "/v1/jobs/", "/openapi.json")
"""Paths whose answers give no cookie: a program that keeps it would be another caller from then on."""

EMBED = "/embed/"
"""The prefix of the pages of frames; the app follows. They have visitors of their own (`server.auth.frames`)."""

INBOX = "/inbox"
"""The prefix of the pages of operators, who are no visitors."""

SHARED = ("/static/", "/widget", EMBED)
"""The files that pages of other sites may load where they isolate themselves (COEP)."""

_OURS = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; font-src 'self'; "
    "connect-src 'self' {socket}; base-uri 'none'; form-action 'self'; "
)
POLICY = _OURS + "manifest-src 'self'; frame-ancestors 'none'"
"""A worker falls under `script-src` here."""

FILE_POLICY = "default-src 'none'; frame-ancestors 'none'"
"""The policy of a script, a sheet or a picture, which matters where a browser opens one by itself."""

_plain_host = patterns.compile(r"[A-Za-z0-9.:\[\]-]+")
"""A host that can stand in a policy, where `;` and `'` have a meaning."""

OF_PAGES = ("permissions-policy", "cross-origin-opener-policy")
"""Headers that a browser reads of pages alone: a first view has seven files, which are sent without them."""

FRAME_POLICY = (
    _OURS
    + "worker-src 'none'; frame-ancestors 'self' {origins}; require-trusted-types-for 'script'; trusted-types loopwire"
)


class Misdirected(Forbidden):
    """The Host header names another host while we serve this machine alone."""

    code, status = "misdirected", 421
    text = "This server answers to this machine only. Name other origins in LOOPWIRE_ALLOWED_ORIGINS."


class BadHost(LoopwireError):
    """RFC 9112 §3.2: the host is missing, named twice, or no host. An absolute address names it once more."""

    code, status, text = "bad_host", 400, "A request names exactly one host."


class Shield:
    """An ASGI middleware for HTTP; sockets have checks of their own."""

    def __init__(
        self,
        app: Asgi,
        *,
        origins: Origins,
        caller_resolver: CallerResolver,
        limits: Limits,
        framed_by: Mapping[str, tuple[str, ...]],
    ) -> None:
        """`framed_by` are the origins whose pages may hold frames of an app, by its name."""
        self._app = app
        self._framed_by = framed_by
        self._origins = origins
        self._caller_resolver = caller_resolver
        self._bodies = Bodies(1024 * limits.unfinished_kib_per_address, 1024 * limits.unfinished_kib)
        self._guess_limit = GuessLimit(limits)
        self._read_limit = ReadLimit(limits)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check a request, find its caller, and pass it on."""
        headers = headers_of(scope)
        added = self._security(scope, headers) | cors_headers(scope, headers, self._origins)
        body = self._bodies.body(scope, headers, receive)
        send = _after(body, _with(send, added, scope))
        try:
            self._judge(scope, headers)
            asked = preflight(scope, headers, self._origins)
        except LoopwireError as error:
            await error_response(error, scope)(scope, receive, send)
            return
        if asked is not None:
            await asked(scope, receive, send)
            return
        if not scope["path"].startswith((*NOBODY, EMBED, INBOX)):
            try:
                caller = await self._caller_resolver.of(scope)
            except LoopwireError as error:
                await error_response(error, scope)(scope, receive, send)
                return
            # A bearer already names the principal.
            if (
                caller.newcomer
                and "authorization" not in headers
                and not scope["path"].startswith(OF_PROGRAMS)
            ):
                added["set-cookie"] = self._cookie(caller)
        await self._answer(scope, headers, body, send)

    async def _answer(self, scope: Scope, headers: dict[str, str], body: CountedBody, send: Send) -> None:
        """Pass a request on within its bounds: those of its body, of reads, and of wrong ids."""
        guards = self._guess_limit.concerns(scope["path"])
        address = counted_client(scope)
        who = _client_name(scope, headers)

        async def send_noted(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start" and guards:
                verified = _is_verified(scope, headers)
                self._guess_limit.note(address, who, message["status"], verified=verified)
            await send(message)

        try:
            self._read_limit.spend(scope, headers, address)
            if guards:
                self._guess_limit.check(address, who)
        except LoopwireError as error:
            await error_response(error, scope)(scope, body, send)
            return
        try:
            await self._app(scope, body, send_noted)
        finally:
            body.release()

    def _judge(self, scope: Scope, headers: dict[str, str]) -> None:
        if not names_one_host(scope):
            raise BadHost
        if not self._origins.knows_host(headers.get("host", "")):
            raise Misdirected
        if "\0" in scope["path"] or b"%00" in scope["query_string"]:
            raise BadFrame("No part of an address may be NUL.")
        if scope["method"] in SAFE:
            return
        crossing = headers.get("sec-fetch-site") == "cross-site" and "origin" not in headers
        if crossing or not self._origins.accepts(scope["scheme"], headers):
            raise ForeignOrigin

    def _security(self, scope: Scope, headers: Mapping[str, str]) -> dict[str, str]:
        """Return the headers that say what an answer may load in a browser, and which pages may embed it."""
        secure, path = scope["scheme"] == "https", scope["path"]
        host = headers.get("host", "")
        socket = f"{'wss' if secure else 'ws'}://{host}" if _plain_host.fullmatch(host) else ""
        framed_by = self._shown_by(scope, path.removeprefix(EMBED), host) if path.startswith(EMBED) else None
        microphone = "()" if path.startswith(SHARED) else "(self)"
        added = {
            "content-security-policy": POLICY.format(socket=socket),
            "x-content-type-options": "nosniff",
            "referrer-policy": "same-origin",
            "permissions-policy": f"camera=(self), microphone={microphone}, geolocation=()",
            "cross-origin-opener-policy": "same-origin",
        }
        if framed_by is not None:
            added["content-security-policy"] = FRAME_POLICY.format(socket=socket, origins=" ".join(framed_by))
            added["cross-origin-embedder-policy"] = "require-corp"
        if path.startswith(SHARED):
            added["cross-origin-resource-policy"] = "cross-origin"
        if path.startswith(OPEN):
            added["cache-control"] = "no-store"
            added["cross-origin-resource-policy"] = "same-origin"
        if secure:
            added["strict-transport-security"] = "max-age=31536000"
        return added

    def _shown_by(self, scope: Scope, app: str, host: str) -> tuple[str, ...] | None:
        """Return the origins whose pages may show frames of an app: the page `/demo` of this machine shows `demo`."""
        origins = self._framed_by.get(app)
        other = self._origins.other_site(scope["scheme"], host) if app == DEMO else ""
        return origins if origins is None or not other else (*origins, other)

    def _cookie(self, caller: ResolvedCaller) -> str:
        secure = caller.secure
        pair = f"{cookie_name(secure=secure)}={self._caller_resolver.visitors.sign(str(caller.principal))}"
        return (
            f"{pair}; Max-Age={COOKIE_SECONDS}; Path=/; HttpOnly; SameSite=Lax{'; Secure' if secure else ''}"
        )


def _client_name(scope: Scope, headers: Mapping[str, str]) -> str:
    """Return the name under which wrong ids are counted: the credential as it is shown, or the visitor.

    The users of an app's program are counted apart.
    """
    state = scope.get("state", {})
    shown = headers.get("authorization", "")
    if not shown or state.get("framed"):
        return state.get("principal") or ""
    user = headers.get("loopwire-user", "")[-64:] if KEY_PREFIX in shown else ""
    return f"{shown[-64:]} {user}"


def _is_verified(scope: Scope, headers: Mapping[str, str]) -> bool:
    """Return whether the answer was given to the credential that the request shows, and not to its cookie."""
    state = scope.get("state", {})
    return "authorization" not in headers or any(
        state.get(name) for name in ("framed", "keyed", "bearer_accepted")
    )


def _after(body: CountedBody, send: Send) -> Send:
    """Send the answer; a refusal waits until the body has left the client, within bounds."""

    async def send_after_body(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            if message["status"] >= BAD_REQUEST and body.is_long:
                await body.drop_rest()
            body.answered = True
        await send(message)

    return send_after_body


def _with(send: Send, added: dict[str, str], scope: Scope) -> Send:
    """Add headers to the answer where it does not set its own."""

    async def send_with_headers(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            if message["status"] >= BAD_REQUEST:
                added.pop("set-cookie", None)  # Nothing was begun that belongs to a new visitor.
            if scope["path"].startswith("/static/") and message["status"] < BAD_REQUEST:
                added["content-security-policy"] = FILE_POLICY
                for name in OF_PAGES:
                    added.pop(name, None)
            known = {name.lower() for name, _ in message.get("headers", ())}
            more = [
                (name.encode(), value.encode("latin-1", "replace"))
                for name, value in added.items()
                if name.encode() not in known or name == "set-cookie"
            ]
            message = {**message, "headers": [*message.get("headers", ()), *more]}
        await send(message)

    return send_with_headers
