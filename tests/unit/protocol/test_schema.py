"""The published schema is generated from the models, and accepts what they accept."""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from server.protocol import envelope, schema
from server.protocol.codec import encode_event
from server.protocol.commands import parse_command
from server.protocol.examples import EXAMPLES
from server.protocol.schema import FOLDER, KIT
from tests.unit.protocol.test_commands import GOOD
from tests.unit.protocol.test_events import SAMPLES


def validator(name: str) -> Draft202012Validator:
    document = schema.json_schema()
    return Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": document["$defs"]})


@pytest.mark.parametrize("name", ["schema.json", "asyncapi.json"])
def test_the_published_files_are_up_to_date(name: str) -> None:
    published = (FOLDER / name).read_text(encoding="utf-8")
    assert published == schema.documents()[name], "run: python -m server.protocol.schema"


def test_the_kit_has_a_copy_of_the_schema() -> None:
    assert (KIT / "schema.json").read_text(encoding="utf-8") == schema.documents()["schema.json"]


def test_the_schema_files_can_be_written_into_any_folder(tmp_path: Any) -> None:
    schema.write(tmp_path / "new/docs", tmp_path / "kit")
    assert {each.name for each in (tmp_path / "new/docs").iterdir()} == set(schema.documents())
    assert (tmp_path / "kit/schema.json").read_text() == schema.documents()["schema.json"]


@pytest.mark.parametrize("frame", GOOD, ids=lambda frame: frame["type"])
def test_the_schema_accepts_what_clients_send(frame: dict[str, Any]) -> None:
    validator("ClientFrame").validate(frame)


@pytest.mark.parametrize("event", SAMPLES, ids=lambda event: event["type"])
def test_the_schema_accepts_what_the_server_sends(event: dict[str, Any]) -> None:
    frame = json.loads(envelope.durable(1, encode_event(event), epoch="a.1"))
    validator("ServerFrame").validate(frame)
    validator("ServerFrame").validate({"batch": [frame]})


def test_every_message_of_the_asyncapi_document_has_its_schema() -> None:
    document, defined = schema.asyncapi(), schema.json_schema()["$defs"]
    messages = document["channels"]["socket"]["messages"]
    assert {each["payload"]["$ref"].rpartition("/")[2] for each in messages.values()} <= set(defined)
    told = [each["$ref"] for kind in document["operations"].values() for each in kind["messages"]]
    assert sorted(each.rpartition("/")[2] for each in told) == sorted(messages)


@pytest.mark.parametrize("name", schema.asyncapi()["channels"]["socket"]["messages"])
def test_the_example_of_a_frame_fits_its_schema(name: str) -> None:
    validator(name).validate(EXAMPLES[name])
    if name in {each.__name__ for each in schema.client_frames()}:
        assert type(parse_command(json.dumps(EXAMPLES[name]))).__name__ == name


def test_the_examples_are_those_of_the_asyncapi_messages() -> None:
    assert EXAMPLES.keys() == schema.asyncapi()["channels"]["socket"]["messages"].keys()
