"""One caller over AG-UI: it keeps the messages as AG-UI's own client does, and sends them with each run."""

import itertools
import json
from dataclasses import dataclass, field
from typing import Any

import httpx2

from bench.target import Refused
from bench.wire import PATIENCE_S

_numbers = itertools.count(1)


@dataclass
class Caller:
    """Somebody with a resume token, who knows nothing of the conversation before the first answer."""

    port: int
    headers: dict[str, str]
    key: str
    most: int | None = None
    """It sends so many of its newest messages; None for all of them."""
    messages: list[dict[str, Any]] = field(default_factory=list)

    async def say(self, http: httpx2.AsyncClient, prompt: str) -> str:
        """Ask, read the answer to its end, and give its text. Raises Refused."""
        number = next(_numbers)
        self.messages.append({"id": f"said-{number}", "role": "user", "content": prompt})
        sent = self.messages if self.most is None else self.messages[-self.most - 1 :]
        answer = await http.post(
            f"http://127.0.0.1:{self.port}/agui/chat",
            json={"threadId": self.key[-32:], "runId": f"run-{number}", "messages": sent},
            headers={**self.headers, "authorization": f"Bearer {self.key}"},
            timeout=PATIENCE_S,
        )
        lines = answer.text.splitlines()
        events = [json.loads(each.removeprefix("data: ")) for each in lines if each.startswith("data: ")]
        if not events or events[-1]["type"] != "RUN_FINISHED":
            raise Refused(answer.text[-1000:])
        return self._folded(events)

    def _folded(self, events: list[dict[str, Any]]) -> str:
        said = ""
        for event in events:
            if event["type"] == "MESSAGES_SNAPSHOT":
                self.messages = [_known(each) for each in event["messages"]]
            elif event["type"] == "TEXT_MESSAGE_START":
                self.messages.append({"id": event["messageId"], "role": "assistant", "content": ""})
            elif event["type"] == "TEXT_MESSAGE_CONTENT":
                self.messages[-1]["content"] += event["delta"]
                said += event["delta"]
        return said


def _known(message: dict[str, Any]) -> dict[str, Any]:
    """Return a message as AG-UI's client sends it back."""
    return {key: message[key] for key in ("id", "role", "name", "content") if key in message}
