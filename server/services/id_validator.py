"""ID validator: reads an identity document on pictures, and judges by rules what was read."""

from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, Field
from pydantic.json_schema import SkipJsonSchema

from server.agents import MOST_IMAGES, OfferedValues, RequestContract, RunLimits, Service, Team
from server.loopos.requests.agents import request_agent
from server.loopos.requests.countries import country_code
from server.loopos.requests.documents import NUMBER_RULES, kind_by_number, plain_number
from server.loopos.requests.fields import AgentSpecific, LooposRequest
from server.loopos.requests.machine_zone import MachineZone, read_zone, zone_rows
from server.loopos.requests.person_names import plain_name, same_name
from server.loopos.requests.words import say_in

AGENT = "loop_os_ai_id_validator_agent"
Status = Literal["OK", "ERROR_IMAGE_QUALITY", "ERROR_VALIDATION"]


KINDS = ("passport,id-card", "passport", "id-card", "cc-pt", "dni-es", "nie-es")
"""The accepted types that the page's form offers."""


class IdFields(AgentSpecific):
    """The kind of document that is accepted, and its owner."""

    doc_type: Annotated[str, Field(min_length=1, max_length=200), OfferedValues(KINDS)] = Field(
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
    birth: str | None
    expiry: str | None
    mrz: list[str]
    ocr_confidence: Annotated[float, Field(ge=0, le=1)]
    by_demo: SkipJsonSchema[bool] = False
    """Whether the demo model has read it. No model sees the field."""


class IdResponse(BaseModel):
    """The judgement, and what was read."""

    status: Status = Field(description="OK only where the document was read and every check holds.")
    reasoning: str = Field(description="All that was found, in sentences.")
    message: str | None = Field(None, description="The gravest of it, for people.")
    doc_type: str | None = None
    number: str | None = None
    name: str | None = None
    expiry: str | None = None
    item_id: str | None = Field(
        None, description="Type, country in two letters and number; null without these."
    )
    ocr_confidence: float | None = None


PASSPORT = "passport"
"""The type that always has a machine-readable zone."""

CARDS = frozenset({"id-card", "cc-pt", "dni-es", "nie-es"})
"""Types that `id-card` accepts."""


@dataclass(frozen=True)
class _Document:
    """A document by its zone where the check digits of that hold, else by what is printed."""

    kind: str | None
    country: str | None
    number: str | None
    name: str | None
    expiry: date | None

    @classmethod
    def of(cls, reading: dict[str, Any], zone: MachineZone | None) -> Self:
        """Take each field from where it is surest."""
        sure = zone if zone is not None and zone.valid else None
        kind = (reading["doc_type"] or "").strip().lower() or None
        return cls(
            kind=kind,
            country=_country(kind, reading["country"], sure),
            number=plain_number((sure.number if sure else reading["number"]) or "") or None,
            name=plain_name((sure.name if sure else reading["name"]) or "") or None,
            expiry=sure.expiry if sure and sure.expiry else _day(reading["expiry"]),
        )

    @property
    def item_id(self) -> str | None:
        """Return the name of the document among all documents."""
        parts = (self.kind, self.country, self.number)
        return "_".join(each for each in parts if each) if all(parts) else None


_COUNTRIES = {"cc-pt": "pt", "dni-es": "es", "nie-es": "es"}
"""The country that issues a type."""


def _country(kind: str | None, printed: str | None, zone: MachineZone | None) -> str | None:
    """Return the two letters of the issuing country: by the zone, by what was read, by the type."""
    named = country_code(zone.country) if zone is not None else None
    return named or country_code(printed) or _COUNTRIES.get(kind or "")


def _complete(request: IdRequest, _facts: dict[str, Any], reading: dict[str, Any]) -> dict[str, Any]:
    """Judge what was read. A machine-readable zone whose digits hold is surer than what is printed."""
    zone = read_zone(reading["mrz"])
    document = _Document.of(reading, zone)
    by_demo = reading["by_demo"]
    if by_demo and not reading["mrz"] and document == _Document(None, None, None, None, None):
        status: Status = "ERROR_IMAGE_QUALITY"
        said = ["unread", _number_alone(request.agent_specific), "demo"]
    else:
        # A model that has read nothing at all has no confidence; the demo reads what messages say instead.
        is_read = reading["legible"] and (by_demo or reading["ocr_confidence"] > 0)
        if not is_read or document.number is None or document.kind is None:
            status, said = "ERROR_IMAGE_QUALITY", ["quality"]
        elif zone is None and (document.kind == PASSPORT or zone_rows(reading["mrz"])):
            status, said = "ERROR_IMAGE_QUALITY", ["zone"]
            if by_demo and not zone_rows(reading["mrz"]):
                # No picture would help: the demo model reads the messages alone. What else is wrong is said, too.
                said = ["zone_missing", *_faults(request.agent_specific, reading, document, zone)]
        elif said := _faults(request.agent_specific, reading, document, zone):
            status = "ERROR_VALIDATION"
        else:
            status, said = "OK", ["ok_told" if by_demo else "ok"]
        said = [*said, "unseen", "demo"] if by_demo else said
    told = [say_in(request.speaks, f"id.{each}") for each in said]
    return {
        "status": status,
        "reasoning": " ".join(told),
        "message": told[0],
        "doc_type": document.kind,
        "number": document.number,
        "name": document.name,
        "expiry": document.expiry.isoformat() if document.expiry else None,
        "item_id": document.item_id,
        "ocr_confidence": reading["ocr_confidence"],
    }


def _number_alone(wanted: IdFields) -> str:
    """Return what can be said of a request whose pictures were not read: whether its number fits its check digit."""
    rule = NUMBER_RULES.get(kind_by_number(wanted.number or "") or "")
    if rule is None:
        return "unread_all"
    return "unread_digit_holds" if rule(wanted.number or "") else "unread_digit_fails"


def _faults(
    wanted: IdFields, reading: dict[str, Any], document: _Document, zone: MachineZone | None
) -> list[str]:
    """Return what does not hold, the gravest first."""
    accepted = {each.strip().lower() for each in wanted.doc_type.split(",") if each.strip()}
    rule = NUMBER_RULES.get(document.kind or "")
    checks = (
        ("authentic", reading["authentic"]),
        ("type", document.kind in accepted or ("id-card" in accepted and document.kind in CARDS)),
        ("digit", rule is None or rule(document.number or "")),
        *_zone_checks(reading, zone),
        ("number", not wanted.number or plain_number(wanted.number) == document.number),
        *_name_checks(wanted, document),
        *_expiry_checks(wanted, document),
    )
    return [fault for fault, holds in checks if not holds]


def _zone_checks(reading: dict[str, Any], zone: MachineZone | None) -> list[tuple[str, bool]]:
    """Hold a machine-readable zone against its own digits, then against each field that is printed and was read."""
    if zone is None or not zone.valid:
        return [("mrz", zone is None)]  # Only a document that has none comes here without a zone.
    number, name = plain_number(reading["number"] or ""), plain_name(reading["name"] or "")
    birth, expiry = _day(reading["birth"]), _day(reading["expiry"])
    return [
        ("mrz_number", not number or zone.has_number(number)),
        ("mrz_name", not name or zone.has_name(reading["name"])),
        ("mrz_birth", birth is None or zone.has_birth(birth)),
        ("mrz_expiry", expiry is None or zone.has_expiry(expiry)),
    ]


def _name_checks(wanted: IdFields, document: _Document) -> list[tuple[str, bool]]:
    if not wanted.name:
        return []
    if document.name is None:
        return [("no_name", False)]
    return [("name", same_name(wanted.name, document.name))]


def _expiry_checks(wanted: IdFields, document: _Document) -> list[tuple[str, bool]]:
    if not wanted.validity:
        return []
    if document.expiry is None:
        return [("no_expiry", False)]
    return [("expired", document.expiry > datetime.now(UTC).date())]


def _day(text: str | None) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        return None


def team() -> Team:
    """Return the one agent."""
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
        pictures=("front", "back"),
        private=frozenset({"error", "expiry", "item_id", "messages", "name", "number"}),
        notes=(
            "The demo model sees no pictures: without `messages` that say what is printed (`number: …`) it answers"
            " ERROR_IMAGE_QUALITY, and `reasoning` says whether the number of the request fits its check digit.",
            "A failed check is 200 with a `status` that is not OK, and so is a type outside `doc_type`.",
            "`id-card` accepts every card.",
            "The demo model reads the zone of a passport from the messages, line by line; without it the status is"
            " ERROR_IMAGE_QUALITY, and `reasoning` says that the zone is missing there.",
            "The machine-readable zone of a passport has to be readable, and that of each other document that shows "
            "one: else the status is ERROR_IMAGE_QUALITY.",
            "`item_id` is type, country and number, as `passport_pt_CA123456`. The country is the ISO 3166 code of two "
            "letters; where it is not known, `item_id` is null.",
            "Check digits are computed: machine-readable zones (ICAO 9303), cartão de cidadão, DNI and NIE.",
            "A zone whose check digits hold is held against what is printed: number, name, birth and expiry. A field "
            "in which the two differ is named in `reasoning`; a field that was not read is not compared.",
            "Names are compared by their words, in any order; a missing middle name does not matter.",
        ),
    ),
)
