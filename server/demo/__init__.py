"""The built-in demo model: a script that plays all agents without a key and is labelled as a demo everywhere."""

from server.demo.conversation_view import Act, Call, Say
from server.demo.model import NAME, DemoModel
from server.demo.role_choice import answer

__all__ = ["NAME", "Act", "Call", "DemoModel", "Say", "answer"]
