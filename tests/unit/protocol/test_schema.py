"""The published schema is generated from the models, and accepts what they accept."""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from server.protocol import envelope, schema
from server.protocol.codec import encode_event
from server.protocol.commands import parse_command
from server.protocol.events import Event
from server.protocol.examples import EXAMPLES
from server.protocol.schema import FOLDER, KIT, TYPES
from tests.unit.protocol.test_commands import GOOD
from tests.unit.protocol.test_events import SAMPLES
from tests.unit.protocol.test_recorded import RECORDED, recorded


def validator(name: str) -> Draft202012Validator:
    document = schema.json_schema()
    return Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": document["$defs"]})


@pytest.mark.parametrize("name", ["schema.json", "asyncapi.json"])
def test_the_published_files_are_up_to_date(name: str) -> None:
    published = (FOLDER / name).read_text(encoding="utf-8")
    assert published == schema.documents()[name], "run: python -m server.protocol.schema"


def test_the_kit_has_a_copy_of_the_schema() -> None:
    assert (KIT / "schema.json").read_text(encoding="utf-8") == schema.documents()["schema.json"]


def test_the_types_of_the_javascript_client_are_those_of_the_schema() -> None:
    assert TYPES.read_text(encoding="utf-8") == schema.types(), "run: python -m server.protocol.schema"


def test_the_schema_files_can_be_written_into_any_folder(tmp_path: Any) -> None:
    schema.write(tmp_path / "new/docs", tmp_path / "kit", tmp_path / "sdk/types.d.ts")
    assert (tmp_path / "sdk/types.d.ts").read_text(encoding="utf-8") == schema.types()
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


@pytest.mark.parametrize("name", RECORDED)
def test_the_schema_accepts_each_frame_of_a_recorded_session(name: str) -> None:
    judge = validator("ServerFrame")
    for frame in recorded(name)["frames"]:
        # A recorded welcome has no secret.
        judge.validate({"resume_token": "t", **frame} if frame.get("type") == "welcome" else frame)


@pytest.mark.parametrize(
    "event",
    [
        {"type": "RUN_STARTED", "threadId": "ses_1"},
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": "msg_1", "delta": 1},
        {"type": "TEXT_MESSAGE_START", "messageId": "msg_1", "role": "robot"},
        {"type": "STATE_DELTA", "delta": [{"op": "add"}]},
        {"type": "RUN_FINISHED", "threadId": "ses_1", "runId": "run_1", "outcome": {"type": "failure"}},
        {"type": "RUN_FINISHED", "threadId": "ses_1", "runId": "run_1", "outcome": None},
        {"type": "MESSAGES_SNAPSHOT", "messages": [{"id": "msg_1"}]},
        {"messageId": "msg_1"},
    ],
    ids=str,
)
def test_the_schema_refuses_an_event_with_a_wrong_field(event: Event) -> None:
    frame = {"seq": 1, "event": event}
    assert not validator("ServerFrame").is_valid(frame)
    assert not validator("Snapshot").is_valid(
        {"type": "snapshot", "epoch": "a.1", "seq": 1, "events": [event]}
    )


@pytest.mark.parametrize("name", ["TEXT_MESSAGE_CHUNK", "SOMETHING_NEW"])
def test_the_schema_accepts_an_event_that_only_a_newer_server_sends(name: str) -> None:
    validator("ServerFrame").validate({"seq": 1, "event": {"type": name, "value": 3}})


def test_a_frame_of_the_server_has_its_type_and_nothing_that_is_null() -> None:
    judge = validator("ServerFrame")
    judge.validate({"type": "ack"})
    for frame in ({"code": 4409, "reason": "replaced"}, {"type": "ack", "id": None}):
        assert not judge.is_valid(frame)
    assert validator("ClientFrame").is_valid({"type": "cancel", "id": None})


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
