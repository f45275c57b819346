"""A model provider for tests and benchmarks: OpenAI's two dialects over real HTTP."""

from tests.modelserver.brains import Brain, Scripted, echo, paced, replay, scripted, stamped
from tests.modelserver.fault_queue import named
from tests.modelserver.faults import CANARY
from tests.modelserver.plan import Call, Fault, Pace, Plan, Reasoning, Refusal, Searched, Text, Usage
from tests.modelserver.request import ModelRequest, ProviderError
from tests.modelserver.sdk_model import brain_from_model
from tests.modelserver.server import ModelServer

__all__ = [
    "CANARY",
    "Brain",
    "Call",
    "Fault",
    "ModelRequest",
    "ModelServer",
    "Pace",
    "Plan",
    "ProviderError",
    "Reasoning",
    "Refusal",
    "Scripted",
    "Searched",
    "Text",
    "Usage",
    "brain_from_model",
    "echo",
    "named",
    "paced",
    "replay",
    "scripted",
    "stamped",
]
