"""The tools that an MCP server lists, and those that the agents get: tools that the app names, with a valid schema."""

import asyncio
from collections.abc import Collection
from dataclasses import dataclass

from jsonschema import Draft202012Validator, SchemaError  # type: ignore[import-untyped]
from mcp.client import ClientSession
from mcp.types import PaginatedRequestParams, Tool

from server.agents.context import Json
from server.protocol.codec import encode_json, mend_text
from server.protocol.plain_text import plain_text, plain_value

MOST_PAGES = 20
MOST_DESCRIPTION = 1_024
"""Characters of what the model reads of a tool; models' servers refuse more."""

MOST_SCHEMA = 16 * 1024
"""Bytes of the schema of a tool's arguments: the model reads it with every call."""


@dataclass(frozen=True)
class ListedTool:
    """A tool as its server describes it."""

    description: str
    schema: Json


async def list_tools(session: ClientSession, wanted: Collection[str]) -> dict[str, ListedTool]:
    """Return those of the wanted tools that the server lists and that can be offered, by their names there.

    At most 20 pages are read, each one message.
    """
    found: dict[str, ListedTool] = {}
    cursor: str | None = None
    for _ in range(MOST_PAGES):
        page = await session.list_tools(params=PaginatedRequestParams(cursor=cursor))
        for each in page.tools:
            if each.name not in wanted or each.name in found:
                continue
            # The check of a schema of 16 KiB takes up to a second.
            read = await asyncio.to_thread(_read_tool, each)
            if read is not None:
                found[each.name] = read
        cursor = page.next_cursor
        if not cursor or len(found) == len(wanted):
            break
    return found


def _read_tool(tool: Tool) -> ListedTool | None:
    """Return what is offered; None for a schema that a model's server would refuse, and the whole run with it."""
    try:
        schema = plain_value(tool.input_schema)
        if len(encode_json(schema)) > MOST_SCHEMA:
            return None
        Draft202012Validator.check_schema(schema)
    except (SchemaError, ValueError, TypeError, RecursionError):
        return None
    if schema.get("type") != "object" or not isinstance(schema.get("properties", {}), dict):
        return None
    description = mend_text(plain_text(tool.description or ""))[:MOST_DESCRIPTION]
    return ListedTool(description, {"properties": {}, **schema})
