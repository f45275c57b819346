"""The pages of services: a list of them, and a form for each that answers requests; the answer is a conversation."""

import base64
from functools import cached_property
from http import HTTPStatus
from math import ceil
from typing import Any

from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from server.agents.contract import RequestContract
from server.agents.service import Service
from server.api.deep_chat.turns import SERVICE
from server.api.multipart_forms import FORM, media_type_of, read_fields, read_form
from server.api.openapi.document import openapi_document
from server.api.openapi.documented_requests import RequestDocumentation
from server.api.requests.endpoint import KEEP_PRIVATE_S, ServiceRequests
from server.endpoints.dependencies import Dependencies
from server.endpoints.identity import app_of, principal_of
from server.errors import (
    ImageUnreadable,
    LoopwireError,
    NotFound,
    UnsupportedMediaType,
)
from server.html.render import Renderer
from server.html.request_form import (
    FormField,
    faults_by_field,
    form_fields,
    request_of_form,
    values_of_request,
    with_values,
)
from server.html.script_words import DOCS_WORDS
from server.http.body_limits import declared_bytes
from server.http.pages import reads_pages, theme_of
from server.words import say

MOST_FIELDS = 200
MOST_WITHOUT_FILES = 64 * 1024
"""Bytes of a form without files."""

MOST_SHOWN_AGAIN = 8 * 1024
MOST_FIELDS_SHOWN_AGAIN = 64
"""Bytes and fields of a refused form, which is read only to be shown again: that takes a millisecond at most."""


class ServicePages:
    """Draws the pages; the requests are those of the API."""

    def __init__(
        self, parts: Dependencies, renderer: Renderer, requests: ServiceRequests, public_url: str | None
    ) -> None:
        """`public_url` is the public address of this server; without it, the address is what each request says."""
        self._parts = parts
        self._renderer = renderer
        self._requests = requests
        self._public_url = public_url

    @cached_property
    def _document(self) -> dict[str, Any]:
        """Return the OpenAPI document, made once: that takes 50 ms of the loop, and any stranger may ask for it."""
        return openapi_document(self._parts.services)

    def routes(self) -> list[BaseRoute]:
        """GET /services, GET and POST /services/{name}, GET /docs and /openapi.json."""
        return [
            Route("/docs", self._docs),
            Route("/openapi.json", self._openapi),
            Route("/services", self._list),
            Route("/services/{name}", self._form),
            Route("/services/{name}", self._ask, methods=["POST"]),
        ]

    async def _list(self, request: Request) -> Response:
        """List what there is, those that are talked to first; one without a form is shown with its programs."""
        services = sorted(
            self._parts.services_of(app_of(request)), key=lambda each: (each.contract is not None, each.name)
        )
        shown = [
            {
                "name": each.name,
                "href": _address_of(each),
                "summary": each.contract.summary if each.contract else "",
                "talks": each.contract is None,
                "by_program": each.contract is not None and not each.contract.form,
            }
            for each in services
        ]
        return self._page(request, "services.html", services=shown)

    async def _docs(self, request: Request) -> Response:
        """Show what each service takes and gives, with programs to copy and a request to try."""
        server = self._public_url or str(request.base_url).rstrip("/")
        described = RequestDocumentation(
            self._document, server, self._parts.language_of(request), keyed=not self._parts.open_requests
        )
        shown = [
            described.of_service(each.name, each.contract)
            for each in sorted(self._parts.services.values(), key=lambda each: each.name)
            if each.contract is not None
        ]
        if SERVICE in self._parts.services:
            shown.append(described.of_chat())
        words = self._renderer.words.all(described.language, *DOCS_WORDS)
        return self._page(request, "docs.html", services=shown, server=server, words=words)

    async def _openapi(self, request: Request) -> Response:
        return JSONResponse(self._document)

    async def _form(self, request: Request) -> Response:
        """Draw the form with the example, or with the request of an own conversation (`from`) to change it."""
        try:
            service, contract = self._service(request)
        except NotFound as error:
            if not reads_pages(request):
                raise
            return self._page(request, "error.html", error.status, status=error.status, seconds=0)
        fields = self._fields(request, contract)
        if (asked := await self._asked_before(request, service)) is not None:
            fields = with_values(fields, values_of_request(fields, asked))
        return self._draw(request, service, fields, {})

    async def _asked_before(self, request: Request, service: Service) -> dict[str, Any] | None:
        """Return the request of the conversation that the address names; None where it is not one of this person's."""
        store = self._parts.store
        try:
            session = await store.sessions.get(request.query_params.get("from", ""), principal_of(request))
        except NotFound:
            return None
        return await store.runs.latest_request(session.id) if session.service == service.name else None

    async def _ask(self, request: Request) -> Response:
        """Take a form: the browser goes on to the conversation where the answer comes, or gets the form again."""
        service, contract = self._service(request)
        language = self._parts.language_of(request)
        fields = self._fields(request, contract)
        try:
            await self._requests.admit(request, service)
        except LoopwireError as error:
            return self._draw(request, service, with_values(fields, await _read_small(request)), {}, error)
        given, images = await _read_form(request)
        filled = with_values(fields, given)
        try:
            asked = contract.request.model_validate(
                {**request_of_form(fields, given, language), "images": images}
            )
            session = await self._requests.begin(request, service, asked)
        except ValidationError as error:
            faults = error.errors(include_url=False, include_input=False, include_context=False)
            wrong = faults_by_field(faults, fields, language)
            return self._draw(request, service, filled, wrong, lost=bool(images))
        except ImageUnreadable:
            wrong = {fields[0].name: say("form.wrong.picture", language)}
            return self._draw(request, service, filled, wrong, lost=True)
        except LoopwireError as error:
            return self._draw(request, service, filled, {}, error, lost=bool(images))
        return RedirectResponse(f"/s/{session.id}", HTTPStatus.SEE_OTHER)

    def _fields(self, request: Request, contract: RequestContract) -> list[FormField]:
        language = self._parts.language_of(request)
        return form_fields(contract.request, contract.example_in(language), language, contract.pictures)

    def _service(self, request: Request) -> tuple[Service, RequestContract]:
        service = self._parts.services[self._parts.service(request.path_params["name"], app_of(request))]
        if service.contract is None or not service.contract.form:
            raise NotFound
        return service, service.contract

    def _draw(
        self,
        request: Request,
        service: Service,
        fields: list[FormField],
        wrong: dict[str, str],
        error: LoopwireError | None = None,
        *,
        lost: bool = False,
    ) -> Response:
        """Draw a form. `lost` says that pictures were sent with it, which have to be chosen again."""
        status = error.status if error else HTTPStatus.UNPROCESSABLE_ENTITY if wrong else HTTPStatus.OK
        summary = service.contract.summary if service.contract else ""
        page = self._page(
            request,
            "service.html",
            status,
            service=service.name,
            summary=summary,
            fields=fields,
            wrong=wrong,
            failure=error.message if error else "",
            lost=lost,
            # A form that comes again has its values from the server, and private ones are stored in no browser.
            keeps=not (wrong or error or (service.contract and service.contract.private)),
            keep_minutes=int(KEEP_PRIVATE_S // 60),
        )
        if error is not None and error.retry_after:
            page.headers["retry-after"] = str(max(1, ceil(error.retry_after)))
        return page

    def _page(
        self, request: Request, template: str, answered: int = HTTPStatus.OK, **values: object
    ) -> Response:
        language = self._parts.language_of(request)
        html = self._renderer.page(
            template,
            language,
            theme=theme_of(request),
            title=say("services.title", language),
            demo=self._parts.demo,
            keyed=not self._parts.open_requests,
            **values,
        )
        headers = {"cache-control": "no-store", "vary": "Cookie, Accept-Language"}
        return HTMLResponse(html, answered, headers=headers)


def _address_of(service: Service) -> str:
    """Return where a service begins: its form, the page of the API where it has none, or a conversation."""
    if service.contract is None:
        return f"/?service={service.name}"
    return f"/services/{service.name}" if service.contract.form else f"/docs#{service.name}"


async def _read_form(
    request: Request, *, most_bytes: int = MOST_WITHOUT_FILES, most_fields: int = MOST_FIELDS
) -> tuple[dict[str, str], list[str]]:
    """Read a form as browsers send it: its fields, and its files as data URLs; a file that was not chosen is empty.

    `most_bytes` are of a form without files. Raises BadFrame, TooLong, and UnsupportedMediaType for a compressed one.
    """
    if "content-encoding" in request.headers:
        raise UnsupportedMediaType("Send the form as a browser does.")
    if media_type_of(request) == FORM:
        form = await read_form(request, most_fields=most_fields)
        return dict(form.fields), [_data_url(each) for each in form.files if each]
    return await read_fields(request, most_bytes=most_bytes, most_fields=most_fields), []


async def _read_small(request: Request) -> dict[str, str]:
    """Read the fields of a refused form, which are shown again; none where the form is broken or not small."""
    if not 0 < declared_bytes(request.headers) <= MOST_SHOWN_AGAIN:
        return {}
    try:
        form = await _read_form(request, most_bytes=MOST_SHOWN_AGAIN, most_fields=MOST_FIELDS_SHOWN_AGAIN)
    except LoopwireError:
        return {}
    return form[0]


def _data_url(data: bytes) -> str:
    """Return a file as `images` of a request takes it; its content says what it is."""
    return f"data:;base64,{base64.b64encode(data).decode()}"
