"""A Loopwire whose model is behind HTTP: our model server in one of the two dialects, at one address for all tests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.modelserver import Brain, ModelServer
from tests.parts.model import KEY
from tests.parts.ports import free_port
from tests.parts.server import Served, served

SILENCE_S = 600
"""A model that a test holds back is silent for as long as the test takes."""


@dataclass
class Remote:
    """A Loopwire and where it looks for its model."""

    served: Served
    api: str
    port: int

    def model(self, brain: Brain) -> ModelServer:
        """Return the model server that it will find; enter it before anything is said."""
        return ModelServer(brain, port=self.port, api_key=KEY)


@contextmanager
def remote(
    api: str,
    environment: Mapping[str, str] | None = None,
    *,
    silence_s: float = SILENCE_S,
    data_dir: Path | None = None,
) -> Iterator[Remote]:
    """Serve with a model behind HTTP; `data_dir` lets a second one stand where the first stood."""
    port = free_port()
    model = {
        "OPENAI_BASE_URL": f"http://127.0.0.1:{port}/v1",
        "OPENAI_API_KEY": KEY,
        "LOOPWIRE_MODEL": "test-model",
        "LOOPWIRE_MODEL_API": api,
        "LOOPWIRE_MODEL_SILENCE_SECONDS": str(silence_s),
        "LOOPWIRE_LOG_LEVEL": "DEBUG",
    }
    with served({**model, **(environment or {})}, data_dir=data_dir) as running:
        yield Remote(running, api, port)
