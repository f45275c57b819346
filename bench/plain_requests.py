"""The plain way to answer requests: Starlette and the Agents SDK, the same checks, and nothing that is kept."""

import json
import os
import sys
from pathlib import Path

import uvicorn
from agents import Agent, OpenAIResponsesModel, Runner, set_tracing_disabled
from openai import AsyncOpenAI
from pydantic import BaseModel
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute

from bench.plain import talk
from server.agents import RequestContract, Service
from server.services import translator, value_estimation

set_tracing_disabled(True)
client = AsyncOpenAI(base_url=os.environ["OPENAI_BASE_URL"], api_key="k")
texts = Path(__file__).parents[1] / "server/loopos/instructions/requests"


def route(service: Service, answer: type[BaseModel]) -> Route:
    """Answer requests of a service by one agent."""
    contract = service.contract
    assert isinstance(contract, RequestContract)
    told = "\n".join((texts / f"{each}.md").read_text() for each in ("shared", service.name))
    agent = Agent(
        name=service.start, instructions=told, output_type=answer, model=OpenAIResponsesModel("m", client)
    )

    async def answer_request(request: Request) -> Response:
        given = contract.request.model_validate_json(await request.body())
        asked = json.dumps({"request": given.for_models()}, ensure_ascii=False)
        output = (await Runner.run(agent, asked)).final_output.model_dump(mode="json")
        contract.check(given, service.start, output)
        response = contract.response.model_validate(contract.complete(given, {}, output))
        return JSONResponse(response.model_dump(mode="json", by_alias=True, exclude_unset=True))

    return Route(contract.path, answer_request, methods=["POST"])


app = Starlette(
    routes=[
        route(translator.service, translator.TranslatorAnswer),
        route(value_estimation.service, value_estimation.EstimationAnswer),
        WebSocketRoute("/ws", talk),
    ]
)

if __name__ == "__main__":
    uvicorn.run(app, port=int(sys.argv[1]), log_level="warning", access_log=False)
