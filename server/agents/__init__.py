"""Agents: what the author of a service imports stands here, and what runs under it in the packages below.

Only this package knows the Agents SDK; a service imports nothing of it, so that it can be exchanged.

Importing this package turns the SDK's trace upload and its logging of model and tool data off, before the SDK
reads the environment: conversations leave this server only through an exporter that the operator configured.
"""

import os

_SDK_SWITCHES = {
    "OPENAI_AGENTS_DONT_LOG_MODEL_DATA": "1",
    "OPENAI_AGENTS_DONT_LOG_TOOL_DATA": "1",
    "OPENAI_AGENTS_TRACE_INCLUDE_SENSITIVE_DATA": "false",
}
os.environ.update(_SDK_SWITCHES)  # noqa: TID251  # written, not read: the SDK has no other way in

from agents import (  # noqa: E402  # the lines above must come first
    Agent,
    Tool,
    set_trace_processors,
    set_tracing_disabled,
)

set_trace_processors([])
set_tracing_disabled(True)

from server.agents.context import RunContext  # noqa: E402
from server.agents.contract import (  # noqa: E402
    MOST_IMAGES,
    OpenObject,
    RequestContract,
    ServiceRequest,
    require_small,
    without_nulls,
)
from server.agents.instructions import Instructions, make_instructions  # noqa: E402
from server.agents.service import RunLimits, Service, Team, hands_over  # noqa: E402
from server.agents.text_readers import TextReaders  # noqa: E402
from server.agents.tools import ToolContext, ToolFailure, tool  # noqa: E402
from server.agents.tools.ask import ask_user  # noqa: E402
from server.agents.tools.call_person import call_person  # noqa: E402
from server.agents.tools.web_search import web_search  # noqa: E402
from server.field_words import OfferedOfKeys, OfferedValues, Unit  # noqa: E402
from server.protocol.shown_state import PRIVATE  # noqa: E402

__all__ = [
    "MOST_IMAGES",
    "PRIVATE",
    "Agent",
    "Instructions",
    "OfferedOfKeys",
    "OfferedValues",
    "OpenObject",
    "RequestContract",
    "RunContext",
    "RunLimits",
    "Service",
    "ServiceRequest",
    "Team",
    "TextReaders",
    "Tool",
    "ToolContext",
    "ToolFailure",
    "Unit",
    "ask_user",
    "call_person",
    "hands_over",
    "make_instructions",
    "require_small",
    "tool",
    "web_search",
    "without_nulls",
]
