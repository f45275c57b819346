"""The fast models are imported whatever the SDK names its parts, and say what is missing."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.conformance
def test_the_fast_models_import_although_names_of_the_sdk_are_missing() -> None:
    code = """
from agents.models import openai_chatcompletions
from openai.types import responses
del openai_chatcompletions.generation_span, openai_chatcompletions.Converter
del openai_chatcompletions.ChatCmplStreamHandler, responses.ResponseOutputItem
from server.agents.model.fast import choice
from server.agents.model.client import Client
from server.agents.model.fast.responses import kinds_of_items
print([len(choice.missing(api)) for api in ("chat", "responses")])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stderr, done.stdout) == ("", "[4, 1]\n")
