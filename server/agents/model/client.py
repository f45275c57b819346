"""OpenAI's client, which sends a request as it is.

`create` of the client walks through every value of a request to rename what is written otherwise in Python, and
encodes it with the standard library. The SDK writes requests as the wire has them, and walking through a conversation
took more time than all that Loopwire does for a run. Addresses, keys, headers, timeouts and errors stay the client's:
it makes the first request of a kind, and later ones repeat that request with another body.
"""

import ssl
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self, cast

import httpx2
import msgspec
from openai import APIConnectionError, APITimeoutError, AsyncOpenAI, AsyncStream, NotGiven, Omit
from openai.resources.chat import AsyncChat, AsyncCompletions
from openai.resources.responses import AsyncResponses
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from openai.types.responses import Response, ResponseStreamEvent
from pydantic import BaseModel


def _plain(value: Any) -> Any:
    """Encode values that the encoder does not know: settings that are models of the client, and iterables."""
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", exclude_unset=True, by_alias=True)
    if isinstance(value, Iterable):
        return list(value)
    raise TypeError(f"A request cannot carry {type(value).__name__}.")


encode_body = msgspec.json.Encoder(enc_hook=_plain).encode


Kind = tuple[str, str, frozenset[tuple[str, str]]]
"""Requests of one kind differ in their body alone: the path, the key, the headers of the SDK."""


@dataclass(frozen=True, slots=True)
class KnownRequest:
    """A request of a kind without its body, which has a whole conversation."""

    method: str
    url: httpx2.URL
    headers: list[tuple[bytes, bytes]]
    extensions: dict[str, Any]

    @classmethod
    def of(cls, request: httpx2.Request, own: frozenset[bytes]) -> Self:
        """Keep what the requests of its kind have in common, without the headers of which each has its own."""
        headers = [each for each in request.headers.raw if each[0].lower() not in own]
        return cls(request.method, request.url, headers, dict(request.extensions))

    def request(self, content: bytes, cookies: httpx2.Cookies) -> httpx2.Request:
        """Return the same request with another body, and with the cookies as they are now."""
        return httpx2.Request(
            self.method,
            self.url,
            headers=self.headers,
            cookies=cookies,
            content=content,
            extensions=self.extensions,
        )


_MOST_KINDS = 16
_REPEATED = {"security", "headers"}


async def _create(client: "Client", path: str, given: dict[str, Any], whole: Any, chunk: Any) -> Any:
    """Send what is given: `whole` is the class of an answer in one piece, `chunk` of the pieces of a streamed one."""
    named: Any = {"security": {"bearer_auth": True}}
    for name, option in (("extra_headers", "headers"), ("extra_query", "params"), ("timeout", "timeout")):
        value = given.pop(name, None)
        if value is not None and not isinstance(value, NotGiven):
            named[option] = value
    extra = given.pop("extra_body", None) or {}
    body = {name: value for name, value in given.items() if not isinstance(value, Omit | NotGiven)}
    content, stream = encode_body(body | extra), body.get("stream") is True
    kind = client.kind(path, named) if stream else None
    if known := client.find(kind):
        response = await client.again(known, content)
        return AsyncStream(cast_to=chunk, response=response, client=client)
    made = await client.post(
        path, cast_to=whole, content=content, options=named, stream=stream, stream_cls=AsyncStream[chunk]
    )
    if kind is not None and isinstance(made, AsyncStream):
        # The SDK also requests answers that are not streams.
        client.learn(kind, made.response)
    return made


class Responses(AsyncResponses):
    """The Responses dialect."""

    async def create(self, **given: Any) -> Any:
        """Send a request."""
        return await _create(cast(Client, self._client), "/responses", given, Response, ResponseStreamEvent)


class Completions(AsyncCompletions):
    """The Chat Completions dialect."""

    async def create(self, **given: Any) -> Any:
        """Send a request."""
        client = cast(Client, self._client)
        return await _create(client, "/chat/completions", given, ChatCompletion, ChatCompletionChunk)


class Chat(AsyncChat):
    """The client's name for chat."""

    @cached_property
    def completions(self) -> Completions:
        """Return the Chat Completions dialect."""
        return Completions(self._client)


class Client(AsyncOpenAI):
    """OpenAI's client, which sends bodies as they are."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._http: httpx2.AsyncClient | None = options.get("http_client")
        self._known: dict[Kind, KnownRequest] = {}
        self._refused: Any = getattr(self, "_make_status_error_from_response", None)
        """The client's class of a refusal; a version without it makes every request itself."""

    @cached_property
    def responses(self) -> Responses:
        """Return the Responses dialect."""
        return Responses(self)

    @cached_property
    def chat(self) -> Chat:
        """Return the Chat Completions dialect."""
        return Chat(self)

    def with_options(self, **options: Any) -> Self:
        """Return this client: it makes no retries, and the SDK asks for such a client at each repetition."""
        if options == {"max_retries": self.max_retries}:
            return self
        return super().with_options(**options)

    def kind(self, path: str, options: dict[str, Any]) -> Kind | None:
        """Return the kind of a request; None when it has to be made anew each time."""
        headers = options.get("headers", {})
        if self._http is None or self._refused is None or self.max_retries or not options.keys() <= _REPEATED:
            return None
        if not all(isinstance(value, str) for value in headers.values()):
            return None
        return path, self.api_key, frozenset(headers.items())

    def find(self, kind: Kind | None) -> KnownRequest | None:
        """Return what is known of this kind, if there was a request of it."""
        return None if kind is None else self._known.get(kind)

    def learn(self, kind: Kind, response: httpx2.Response) -> None:
        """Remember how the client made a request that was answered where it was sent."""
        if response.history or len(self._known) >= _MOST_KINDS:
            return
        said = {name.lower() for name in (*self.default_headers, *(name for name, _ in kind[2]))}
        # An answer may set a cookie, so the next request may have another one.
        own = {b"content-length"} if "cookie" in said else {b"content-length", b"cookie"}
        self._known[kind] = KnownRequest.of(response.request, frozenset(own))

    async def again(self, known: KnownRequest, content: bytes) -> httpx2.Response:
        """Send another body with what is known of its kind; fails as the client fails."""
        http = cast(httpx2.AsyncClient, self._http)
        request = known.request(content, http.cookies)
        try:
            response = await http.send(request, stream=True)
        except httpx2.TimeoutException as error:
            raise APITimeoutError(request=request) from error
        except (httpx2.RequestError, ssl.SSLError) as error:
            raise APIConnectionError(request=request) from error
        if response.is_success:
            return response
        await response.aread()
        raise self._refused(response)
