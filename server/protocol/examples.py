"""One example of each frame, as the documents show it; tests hold each against its schema."""

from typing import Any

Json = dict[str, Any]

SESSION, RUN = "ses_4k2m8q1v7x", "run_9c3t5w0z2b"
EPOCH = "e5.1"

_TEXT: Json = {
    "type": "TEXT_MESSAGE_CONTENT",
    "messageId": "msg_7h1d",
    "delta": "É este o iPhone 12?",
}
_STARTED: Json = {"type": "RUN_STARTED", "threadId": SESSION, "runId": RUN}

EXAMPLES: dict[str, Json] = {
    "Hello": {"type": "hello", "ticket": "Jx2mV0c7…", "last_seq": 41, "epoch": EPOCH, "v": 1},
    "Message": {
        "type": "message",
        "id": "c-17",
        "content": [{"type": "text", "text": "Quero vender um iPhone 12"}],
    },
    "Edit": {
        "type": "edit",
        "id": "c-22",
        "message_id": "msg_8j2e",
        "content": [{"type": "text", "text": "Quero vender um iPhone 13"}],
    },
    "Regenerate": {"type": "regenerate", "id": "c-23", "message_id": "msg_7h1d"},
    "Switch": {"type": "switch", "id": "c-24", "message_id": "msg_8j2e"},
    "Cancel": {"type": "cancel", "id": "c-18", "run_id": RUN},
    "Resume": {
        "type": "resume",
        "id": "c-19",
        "entries": [{"interrupt_id": "int_3f8s", "status": "resolved", "payload": {"approved": True}}],
    },
    "ToolResult": {
        "type": "tool_result",
        "id": "c-20",
        "tool_call_id": "cal_6n2p",
        "content": '{"city": "Coimbra"}',
    },
    "Feedback": {
        "type": "feedback",
        "id": "c-21",
        "message_id": "msg_7h1d",
        "value": "down",
        "reason": "wrong",
    },
    "Typing": {"type": "typing"},
    "Welcome": {
        "type": "welcome",
        "session_id": SESSION,
        "epoch": EPOCH,
        "seq": 41,
        "resumed": True,
        "heartbeat_ms": 25_000,
        "resume_window": 3600,
        "resume_token": "eyJhbGciOi…",
        "capabilities": {"transport": {"streaming": True}},
        "demo": False,
    },
    "Snapshot": {
        "type": "snapshot",
        "epoch": EPOCH,
        "seq": 41,
        "events": [{"type": "MESSAGES_SNAPSHOT", "messages": []}],
    },
    "Queue": {
        "type": "queue",
        "items": [
            {"run_id": RUN, "message_id": "msg_8j2e", "id": "c-17", "text": "Quero vender um iPhone 12"}
        ],
    },
    "Ack": {"type": "ack", "id": "c-17", "run_id": RUN, "message_id": "msg_8j2e"},
    "Error": {
        "type": "error",
        "code": "busy",
        "message": "Too many messages are waiting. Try again after the answer.",
        "id": "c-17",
        "retry": True,
    },
    "Reconnect": {"type": "reconnect", "after_ms": 1200},
    "Close": {"type": "close", "code": 4409, "reason": "replaced"},
    "Degraded": {"type": "degraded", "on": True},
    "TypingNotice": {"type": "typing", "name": "Ana"},
    "FeedbackNotice": {"type": "feedback", "message_id": "msg_7h1d", "value": "up", "from_tab": "tab_2"},
    "Durable": {"seq": 43, "event": _TEXT},
    "Batch": {"batch": [{"seq": 42, "epoch": EPOCH, "event": _STARTED}, {"seq": 43, "event": _TEXT}]},
}
"""By the names of the schemas."""
