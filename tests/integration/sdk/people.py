"""People who use the Python client: they press the first choice until an item is made."""

from __future__ import annotations

from typing import Any

from loopwire import Block, Chat, Handoff, Part, Run, Text

TYPED = {"number": "12", "date": "2021", "text": "uma caixa"}
MOST_MESSAGES = 40
OPENING = "Polly Magic"


async def read(run: Run) -> list[Part]:
    """Read an answer to its end."""
    return [part async for part in run]


def words(parts: list[Part]) -> str:
    """Return what was said."""
    return "".join(each.delta for each in parts if isinstance(each, Text))


def agent_words(messages: list[dict[str, Any]]) -> str:
    """Return what agents said in messages."""
    spoken = [each for each in messages if each["role"] == "assistant" and "toolCalls" not in each]
    return "".join(each["content"] for each in spoken)


def pressed(block: Block) -> list[Any]:
    """Return the message that answers a block."""
    if block.choices:
        return [block.answer(block.choices[0])]
    return [block.answer(TYPED[block.content.get("input", "text")])]


async def sell(chat: Chat) -> list[Part]:
    """Go through a whole sale; return all parts that were told."""
    parts, content = [], OPENING
    for _ in range(MOST_MESSAGES):
        new = await read(await chat.send(content))
        parts += new
        if chat.state.get("status") == "complete":
            return parts
        blocks = [each for each in new if isinstance(each, Block) and each.status == "open"]
        content = pressed(next(each for each in reversed(blocks) if "name" in each.content))
    raise AssertionError("the conversation does not come to an end")


def agents(parts: list[Part]) -> list[str]:
    """Return the names of the agents that took over."""
    return [each.to for each in parts if isinstance(each, Handoff)]
