"""ID validator: reads an identity document on pictures, and judges by rules what was read."""

from datetime import UTC, date, datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from server.agents import MOST_IMAGES, RequestContract, RunLimits, Service, Team
from server.loopos.requests.agents import request_agent
from server.loopos.requests.documents import NUMBER_RULES, plain_name, plain_number, read_zone, same_name
from server.loopos.requests.fields import AgentSpecific, LooposRequest
from server.loopos.requests.words import say_in

AGENT = "loop_os_ai_id_validator_agent"
Status = Literal["OK", "ERROR_IMAGE_QUALITY", "ERROR_VALIDATION"]


class IdFields(AgentSpecific):
    """What the document has to be, and whose."""

    doc_type: Annotated[str, Field(min_length=1, max_length=200)] = Field(
        description="Accepted types between commas, as `passport,id-card`."
    )
    name: Annotated[str, Field(max_length=300)] | None = Field(
        None, description="The holder; unchecked without it."
    )
    number: Annotated[str, Field(max_length=64)] | None = Field(None, description="Unchecked without it.")
    validity: bool = Field(False, description="Whether the expiry has to be in the future.")


class IdRequest(LooposRequest):
    """A document to be read and judged."""

    images: Annotated[list[str], Field(min_length=1, max_length=MOST_IMAGES)] = Field(
        description="Front and back: http(s) addresses or base64 data URLs."
    )
    agent_specific: IdFields


class DocumentReading(BaseModel):
    """What is printed on the document; null is what cannot be read."""

    legible: bool
    authentic: bool
    doc_type: str | None
    country: str | None
    number: str | None
    name: str | None
    expiry: str | None
    mrz: list[str]
    ocr_confidence: Annotated[float, Field(ge=0, le=1)]


class IdResponse(BaseModel):
    """The judgement, and what was read."""

    status: Status
    reasoning: str
    message: str | None = None
    doc_type: str | None = None
    number: str | None = None
    name: str | None = None
    expiry: str | None = None
    item_id: str | None = None
    ocr_confidence: float | None = None


CARDS = frozenset({"id-card", "cc-pt", "dni-es", "nie-es"})
"""Types that `id-card` accepts."""


def _complete(request: IdRequest, _facts: dict[str, Any], reading: dict[str, Any]) -> dict[str, Any]:
    """Judge what was read. A machine-readable zone whose digits hold wins over what is printed."""
    zone = read_zone(reading["mrz"])
    sure = zone if zone is not None and zone.valid else None
    number = plain_number((sure.number if sure else reading["number"]) or "") or None
    name = plain_name((sure.name if sure else reading["name"]) or "") or None
    expiry = sure.expiry if sure and sure.expiry else _day(reading["expiry"])
    kind = (reading["doc_type"] or "").strip().lower() or None
    country = (reading["country"] or "").strip().lower() or None
    faults = _faults(request.agent_specific, reading, kind, number, name, expiry)
    if zone is not None and not zone.valid:
        faults.append("mrz")
    if not reading["legible"] or number is None or kind is None:
        status: Status = "ERROR_IMAGE_QUALITY"
        faults = ["quality"]
    else:
        status = "ERROR_VALIDATION" if faults else "OK"
    told = [say_in(request.speaks, f"id.{each}") for each in faults or ["ok"]]
    return {
        "status": status,
        "reasoning": " ".join(told),
        "message": told[0],
        "doc_type": kind,
        "number": number,
        "name": name,
        "expiry": expiry.isoformat() if expiry else None,
        "item_id": "_".join((kind, country, number)) if kind and country and number else None,
        "ocr_confidence": reading["ocr_confidence"],
    }


def _faults(
    wanted: IdFields,
    reading: dict[str, Any],
    kind: str | None,
    number: str | None,
    name: str | None,
    expiry: date | None,
) -> list[str]:
    """Return what does not hold, the gravest first."""
    accepted = {each.strip().lower() for each in wanted.doc_type.split(",") if each.strip()}
    rule = NUMBER_RULES.get(kind or "")
    checks = (
        ("authentic", reading["authentic"]),
        ("type", kind in accepted or ("id-card" in accepted and kind in CARDS)),
        ("digit", rule is None or number is None or rule(number)),
        ("number", not wanted.number or plain_number(wanted.number) == number),
        ("name", not wanted.name or same_name(wanted.name, name or "")),
        ("expired", not wanted.validity or (expiry is not None and expiry > datetime.now(UTC).date())),
    )
    return [fault for fault, holds in checks if not holds]


def _day(text: str | None) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        return None


def team() -> Team:
    """The one agent."""
    return {AGENT: request_agent("id_validator", "id_validator", DocumentReading)}


TINY = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9Q"
    "DwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
"""A picture of one pixel, so that the example can be sent as it is."""

service = Service(
    name="id_validator",
    start=AGENT,
    agents=team,
    limits=RunLimits(seconds=120, model_calls=4, tool_calls=1),
    client_tools=False,
    contract=RequestContract(
        path="/loopos_ai_id_validator",
        request=IdRequest,
        response=IdResponse,
        summary="Reads an identity document on pictures, and checks type, number, holder and expiry by rules.",
        example={
            "images": [TINY],
            "agent_specific": {"doc_type": "passport,id-card", "number": "12345678Z", "validity": False},
            "language": "en-US",
        },
        route=lambda _: (AGENT,),
        complete=_complete,
        form=False,
        private=frozenset({"expiry", "item_id", "name", "number"}),
        notes=(
            "A failed check is 200 with a `status` that is not OK, and so is a type outside `doc_type`.",
            "`id-card` accepts every card.",
            "Check digits are computed: machine-readable zones (ICAO 9303), cartão de cidadão, DNI and NIE.",
            "Names are compared by their words, in any order; a missing middle name does not matter.",
        ),
    ),
)
