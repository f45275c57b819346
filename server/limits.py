"""The limits on rates and counts per session, visitor, address, app and process; each is a setting."""

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_settings import NoDecode

from server import patterns

PREFIX = "LOOPWIRE_LIMIT_"
MOST_COUNTED = 100_000
"""A window remembers the time of each event that it allows, so its memory grows with its count."""

LONGEST_S = 24 * 3600

_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 24 * 3600}
_PART = patterns.compile(r"([1-9][0-9]{0,6})/([1-9][0-9]{0,6})([smhd])")

Pairs = tuple[tuple[int, float], ...]
"""At most so many events within so many seconds, for each pair."""


def pairs_of(value: object) -> object:
    """Read a rate such as `20/10s,100/1m`. Raises ValueError with a sentence for the operator."""
    if not isinstance(value, str):
        return value
    found = []
    for part in value.split(","):
        match = _PART.fullmatch(part.strip())
        if match is None:
            raise ValueError(f"{part.strip()!r} is not a rate such as 20/10s or 20/10s,100/1m (s, m, h or d)")
        count, seconds = int(match[1]), int(match[2]) * _SECONDS[match[3]]
        if count > MOST_COUNTED or seconds > LONGEST_S:
            raise ValueError(f"{part.strip()!r} is more than {MOST_COUNTED} or longer than a day")
        found.append((count, float(seconds)))
    return tuple(found)


def rate_text(pairs: Pairs) -> str:
    """Write a rate as an operator sets it."""
    return ",".join(f"{count}/{_period(int(seconds))}" for count, seconds in pairs)


def _period(seconds: int) -> str:
    unit = max((each for each in _SECONDS if seconds % _SECONDS[each] == 0), key=_SECONDS.__getitem__)
    return f"{seconds // _SECONDS[unit]}{unit}"


Rate = Annotated[Pairs, NoDecode, BeforeValidator(pairs_of)]
Count = Annotated[int, Field(ge=1, le=MOST_COUNTED)]
Size = Annotated[int, Field(ge=1, le=4 << 20)]
"""KiB, up to 4 GiB."""


def _rate(what: str, text: str) -> Any:
    """Declare a limit on how often something happens."""
    return Field(pairs_of(text), alias=PREFIX + what)


def _count(what: str, count: int) -> Any:
    """Declare a limit on how much there is at once."""
    return Field(count, alias=PREFIX + what)


class Limits(BaseModel):
    """The limits: what may happen how often, and how much there may be at once. An IPv6 address counts as its /64."""

    model_config = ConfigDict(frozen=True, populate_by_name=True)

    messages_per_session: Rate = _rate("MESSAGES_PER_SESSION", "20/10s,100/1m")
    """New messages, versions of messages and switches to them. Counted in the database, over all instances."""
    repeats_per_session: Rate = _rate("REPEATS_PER_SESSION", "120/1m")
    """Messages that were stored before, or could not be stored; beyond it they count as new ones."""
    queued_per_session: Count = _count("QUEUED_PER_SESSION", 3)
    """Messages that wait behind the running answer."""
    requests_per_session: Count = _count("REQUESTS_PER_SESSION", 50)
    """Requests of services that wait behind the running one of their session."""
    versions_per_message: Count = _count("VERSIONS_PER_MESSAGE", 20)
    """Versions of one message: what was edited, and what was answered again."""
    pictures_per_session: Count = _count("PICTURES_PER_SESSION", 200)
    """Different pictures that one session may have."""
    push_subscriptions_per_visitor: Count = _count("PUSH_SUBSCRIPTIONS_PER_VISITOR", 10)
    """Browsers of one visitor that push messages reach, in each app; the oldest goes for a new one."""
    frames_per_socket: Rate = _rate("FRAMES_PER_SOCKET", "120/1m")
    """Other frames: typing, cancel, resume, tool results, feedback. Over HTTP those of a session."""
    bad_frames_per_socket: Rate = _rate("BAD_FRAMES_PER_SOCKET", "5/1m")
    """Frames that cannot be understood, or come too fast: the last of these ends the socket with 4400 or 4429."""
    control_frames_per_socket: Rate = _rate("CONTROL_FRAMES_PER_SOCKET", "1000/10s")
    """Pings, pongs and fragments of messages. Counted in fixed windows: up to twice as many may come around an edge."""
    control_frames_per_address: Rate = _rate("CONTROL_FRAMES_PER_ADDRESS", "3000/10s")
    """The same of all sockets of an address; beyond it each may still send a twentieth of what a socket may."""
    tickets_per_visitor: Rate = _rate("TICKETS_PER_VISITOR", "30/1m,300/1h")
    """Tickets that one visitor asks for."""
    answers_per_visitor: Count = _count("ANSWERS_PER_VISITOR", 20)
    """AG-UI answers that are open in other sessions than the one that is asked for."""
    mcp_calls_per_visitor: Count = _count("MCP_CALLS_PER_VISITOR", 4)
    """Calls of one visitor that an MCP server works at, at once; others wait. A server works at 16 of all visitors."""
    mcp_kib_per_visitor: Size = _count("MCP_KIB_PER_VISITOR", 8 * 1024)
    """KiB that the calls of one visitor may bring from an MCP server in a minute, each with 16 for itself."""
    tickets_per_address: Rate = _rate("TICKETS_PER_ADDRESS", "30/1m,300/1h")
    """Tickets that one address asks for."""
    identities_per_address: Rate = _rate("IDENTITIES_PER_ADDRESS", "30/1m,600/1h")
    """Tokens that name a user, at `POST /v1/identify`: verifying one costs time, and may fetch keys."""
    sign_ins_per_address: Rate = _rate("SIGN_INS_PER_ADDRESS", "10/1m,60/1h")
    """Names and passwords of operators that one address shows."""
    sign_ins_per_name: Rate = _rate("SIGN_INS_PER_NAME", "10/5m,30/1h")
    """The same for one name, from all addresses. An operator who has signed in stays so."""
    conversations_per_address: Rate = _rate("CONVERSATIONS_PER_ADDRESS", "20/1m,200/1h")
    """Conversations that are begun."""
    runs_per_address: Rate = _rate("RUNS_PER_ADDRESS", "300/10s,1200/1m")
    """Requests for a run at `/agui/{service}`, counted before anything of them is read."""
    requests_per_address: Rate = _rate("REQUESTS_PER_ADDRESS", "60/10s,300/1m")
    """Requests of services, over REST and by forms, and messages at `/chat`, counted together before they are read."""
    requests_per_service: Rate = _rate("REQUESTS_PER_SERVICE", "40/10s,200/1m")
    """The same of one service, which an address asks; messages at `/chat` are those of a service too."""
    polls_per_address: Rate = _rate("POLLS_PER_ADDRESS", "300/10s,1200/1m")
    """Questions how far a request is, at `GET /v1/jobs/{id}`; with an app's key they count for the app."""
    chat_sockets_per_address: Count = _count("CHAT_SOCKETS_PER_ADDRESS", 500)
    """Sockets of Deep Chat that are open at once, with or without a message."""
    images_per_address: Rate = _rate("IMAGES_PER_ADDRESS", "24/10s,96/1m")
    """Pictures of requests, messages and uploads, counted before a fetch. Reading one may take a second of a core."""
    changes_per_address: Rate = _rate("CHANGES_PER_ADDRESS", "300/10s,1200/1m")
    """Requests that change the title or the language of a conversation, counted before their body is read."""
    reads_per_address: Rate = _rate("READS_PER_ADDRESS", "300/10s,1200/1m")
    """Pages, lists of conversations, exports and the documentation. Counted in each process."""
    searches_per_visitor: Count = _count("SEARCHES_PER_VISITOR", 4)
    """Searches of one visitor, operator or app that read or wait for their turn, in a process."""
    lookups_per_address: Count = _count("LOOKUPS_PER_ADDRESS", 64)
    """Names in addresses of pictures, callbacks and pushes that wait to be looked up for one address, or for the app
    whose key it has; six of them are looked up at once."""
    guesses_per_visitor: Rate = _rate("GUESSES_PER_VISITOR", "30/1m")
    """Requests for ids that do not exist, of one visitor or one bearer."""
    guesses_per_address: Rate = _rate("GUESSES_PER_ADDRESS", "300/1m")
    """The same of all at one address; beyond it only callers that have named a right id are still served."""
    unfinished_kib_per_address: Size = _count("UNFINISHED_KIB_PER_ADDRESS", 16 * 1024)
    """KiB of bodies that have begun to arrive and are not complete."""
    unfinished_kib: Size = _count("UNFINISHED_KIB", 64 * 1024)
    """The same of the whole process; beyond it 503."""
    waiting_picture_kib_per_address: Size = _count("WAITING_PICTURE_KIB_PER_ADDRESS", 32 * 1024)
    """KiB of pictures that have arrived and wait to be read; with an app's key they count for the app."""
    waiting_picture_kib: Size = _count("WAITING_PICTURE_KIB", 128 * 1024)
    """The same of the whole process; beyond it 503."""
    waiting_events_per_app: Count = _count("WAITING_EVENTS_PER_APP", 10_000)
    """Events of webhooks that wait for the receiver of one app; beyond it events are dropped and counted."""
    event_posts_per_app: Count = _count("EVENT_POSTS_PER_APP", 4)
    """Posts of events to one app that are made at once, over all processes."""
    unidentified_per_address: Count = _count("UNIDENTIFIED_PER_ADDRESS", 20)
    """Sockets without a hello, and requests whose bearer is being looked at."""


def limit_texts(limits: Limits) -> dict[str, str]:
    """Return each limit as it is set, by the name of its setting."""
    found = {}
    for name, field in Limits.model_fields.items():
        value = getattr(limits, name)
        found[str(field.alias)] = str(value) if isinstance(value, int) else rate_text(value)
    return found
