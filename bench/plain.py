"""The plain way: Starlette and the Agents SDK as their documentation shows them, one agent, one socket a run."""

import os
import sys

import uvicorn
from agents import Agent, OpenAIResponsesModel, Runner, set_tracing_disabled
from openai import AsyncOpenAI
from openai.types.responses import ResponseTextDeltaEvent
from starlette.applications import Starlette
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

set_tracing_disabled(True)
watchers: set[WebSocket] = set()
client = AsyncOpenAI(base_url=os.environ["OPENAI_BASE_URL"], api_key="k")
agent = Agent(name="chat", instructions="Answer.", model=OpenAIResponsesModel("m", client))


async def talk(socket: WebSocket) -> None:
    """Answer every text frame with the deltas of a run."""
    await socket.accept()
    try:
        while True:
            prompt = await socket.receive_text()
            result = Runner.run_streamed(agent, prompt)
            async for event in result.stream_events():
                if event.type == "raw_response_event" and isinstance(event.data, ResponseTextDeltaEvent):
                    await send(socket, {"delta": event.data.delta})
            await send(socket, {"end": True})
    except WebSocketDisconnect:
        return


async def send(socket: WebSocket, frame: dict[str, object]) -> None:
    """Send a frame to its asker and to whoever watches."""
    await socket.send_json(frame)
    for each in watchers:
        await each.send_json(frame)


async def watch(socket: WebSocket) -> None:
    """Get what everybody gets."""
    await socket.accept()
    watchers.add(socket)
    try:
        await socket.receive_text()
    except WebSocketDisconnect:
        watchers.discard(socket)


app = Starlette(routes=[WebSocketRoute("/ws", talk), WebSocketRoute("/watch", watch)])

if __name__ == "__main__":
    uvicorn.run(app, port=int(sys.argv[1]), log_level="warning", access_log=False)
