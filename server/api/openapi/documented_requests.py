"""The requests that the page of the API shows: those of the services, and the messages of `/chat`."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from server.agents.contract import RequestContract
from server.api.openapi.schema_rows import SchemaRow, field_rows, item_rows, own_first
from server.api.openapi.snippets import ExampleRequest, snippets
from server.loopos.requests.fields import LooposRequest
from server.words import say

CHAT = "/chat"


@dataclass(frozen=True)
class DocumentedRequest:
    """One section of the page; `example` is the JSON text that its form begins with, and `body` what it says."""

    name: str
    path: str
    summary: str
    notes: Sequence[str]
    takes: Sequence[SchemaRow]
    gives: Sequence[SchemaRow]
    snippets: Mapping[str, str]
    example: str
    body: Mapping[str, Any]


@dataclass(frozen=True)
class RequestDocumentation:
    """Describes requests by the OpenAPI document of this server, in one language.

    `keyed` says that programs need the key of an app.
    """

    document: Mapping[str, Any]
    server: str
    language: str
    keyed: bool

    def of_service(self, name: str, contract: RequestContract) -> DocumentedRequest:
        """Return the section of a service."""
        takes = field_rows(self.document, contract.request.__name__)
        example = contract.example_in(self.language)
        return DocumentedRequest(
            name=name,
            path=contract.path,
            summary=contract.summary,
            notes=contract.notes,
            takes=own_first(takes, LooposRequest.model_fields),
            gives=field_rows(self.document, contract.response.__name__),
            snippets=snippets(ExampleRequest(contract.path, example), self.server, keyed=self.keyed),
            example=json.dumps(example, ensure_ascii=False, indent=2),
            body=example,
        )

    def of_chat(self) -> DocumentedRequest:
        """Return the section of `/chat`.

        Its programs name no session: all who run them from the page would share the conversation of the example.
        """
        posted = self.document["paths"][CHAT]["post"]
        body = posted["requestBody"]["content"]["application/json"]
        answer = posted["responses"]["200"]["content"]["application/json"]["schema"]
        takes = field_rows(self.document, body["schema"]["$ref"].rpartition("/")[2])
        said = {"role": "user", "text": say("docs.chat.example", self.language)}
        shown = {**body["example"], "messages": [said], "language": self.language}
        del shown["session_id"]
        return DocumentedRequest(
            name="chat",
            path=CHAT,
            summary=posted["summary"],
            notes=posted["description"].split("\n\n"),
            takes=own_first(takes, LooposRequest.model_fields),
            gives=item_rows(self.document, answer),
            snippets=snippets(ExampleRequest(CHAT, shown), self.server, keyed=self.keyed),
            example=json.dumps(shown, ensure_ascii=False, indent=2),
            body=shown,
        )
