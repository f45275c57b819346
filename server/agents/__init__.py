"""The only place that knows the Agents SDK: a turn goes in, AG-UI events and history items come out.

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

from agents import set_trace_processors, set_tracing_disabled  # noqa: E402  # the lines above must come first

set_trace_processors([])
set_tracing_disabled(True)
