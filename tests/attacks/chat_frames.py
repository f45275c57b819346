"""Attacks on the socket of Deep Chat: costly frames, frames that are no message, and a thousand silent sockets."""

from __future__ import annotations

import json
import time
from contextlib import ExitStack
from typing import ClassVar

from tests.attacks.attack import Attack, Target
from tests.attacks.frames import MANY, OPENING, TURN_S, Flood
from tests.integration.ws.raw import BINARY, TEXT, frame, raw

CROWD, EACH = 1_000, 50
"""Sockets, and those of one address: a handshake counts like a message, so one address gets no more in ten seconds."""

MESSAGE = {
    "messages": [{"role": "user", "text": "olá"}],
    "loopos_core_base_url": "https://core.shop.example/",
    "loopos_submission_base_url": "https://submission.shop.example/",
}


class ChatFlood(Flood):
    """A flood at /chat. Who is let in has no hello to say."""

    path = "/chat"
    connections = MANY
    codes = frozenset({4400, 4429})


class ChatNested(ChatFlood):
    """Lists in lists, as deep as a frame is large."""

    name = "chat_frames nested"
    in_suite = True
    frame = frame(TEXT, b'{"messages": ' + b"[" * 60_000)


class ChatFaults(ChatFlood):
    """As many wrong messages as a frame has room for."""

    name = "chat_frames faults"
    frame = frame(TEXT, json.dumps({**MESSAGE, "messages": [{"role": 1}] * 5_000}).encode()[:65_000])


class ChatUnclosed(ChatFlood):
    """Texts of a byte, which are refused one by one."""

    name = "chat_frames tiny texts"
    frame = frame(TEXT, b"{")


class ChatMessages(ChatFlood):
    """Real messages without end, each of a conversation of its own socket."""

    name = "chat_frames messages"
    frame = frame(TEXT, json.dumps(MESSAGE).encode())
    codes = frozenset({4429})


class ChatBinary(ChatFlood):
    """Binary frames."""

    name = "chat_frames binary"
    frame = frame(BINARY, b"\0" * 60_000)
    codes = frozenset({1003})


class ChatHuge(ChatFlood):
    """Frames that are larger than any may be."""

    name = "chat_frames huge"
    frame = frame(TEXT, b"a" * 1_000_000)
    codes = frozenset({1009})


class ChatCrowd(Attack):
    """A thousand sockets that are opened and say nothing."""

    name = "chat_frames crowd"
    most: ClassVar[int] = CROWD

    def strike(self, target: Target) -> None:
        """Open them from many addresses, and keep them."""
        with ExitStack() as stack:
            for number in range(self.most):
                line = stack.enter_context(raw(target.url))
                line.send(line.head(path="/chat", X_Forwarded_For=f"10.70.0.{number // EACH}"))
                target.statuses[line.status()] += 1
                if target.over:
                    break
            while not target.over:
                time.sleep(TURN_S)

    def check(self, target: Target) -> None:
        """All are let in: it is nobody's fault to say nothing."""
        if not target.statuses[101] or set(target.statuses) - set(OPENING):
            target.faults.append(f"sockets were opened with {dict(target.statuses)}")
