"""The messages of an answer that are sent before its run has ended: whole ones that another part follows."""

from __future__ import annotations

from server.api.deep_chat.early_messages import EarlyMessages, StreamedTexts, rest_of
from server.protocol import events as ev


def text(id: str, *deltas: str) -> list[ev.Event]:
    return [
        ev.text_start(id, "assistant"), *(ev.text_content(id, each) for each in deltas), ev.text_end(id)
    ]  # fmt: skip


def stored(id: str, content: str) -> dict[str, str]:
    return {"role": "assistant", "id": id, "content": content}


def test_the_last_message_waits_for_the_end() -> None:
    early = EarlyMessages("pt")
    assert early.pop_complete(text("m1", "Vou ", "ver.")) == []
    assert early.pop_complete(text("m2", "Há um.")) == [{"text": "Vou ver.", "role": "assistant"}]
    told = early.finish([stored("m1", "Vou ver."), stored("m2", "Há um.")])
    assert told == [{"text": "Há um.", "role": "assistant"}]


def test_a_call_of_a_tool_and_a_handoff_say_that_the_run_goes_on() -> None:
    for event in ({"type": "TOOL_CALL_START", "toolCallId": "c"}, {"type": "STEP_STARTED", "stepName": "b"}):
        early = EarlyMessages("pt")
        assert [each["text"] for each in early.pop_complete([*text("m1", "Um."), event])] == ["Um."]
        assert early.finish([stored("m1", "Um.")]) == []


def test_missed_and_changed_messages_are_sent_at_the_end() -> None:
    early = EarlyMessages("pt")
    early.pop_complete([*text("m1", "Um."), *text("m2", "D")[:2]])
    told = early.finish([stored("m1", "Um, afinal."), stored("m2", "Dois.")])
    assert [each["text"] for each in told] == ["Um, afinal.", "Dois."]
    assert rest_of(stored("m", "Dois."), "D") == "ois."
    assert rest_of(stored("m", "Três."), "D") == ""


def test_a_summary_of_reasoning_is_not_told_and_says_that_the_run_goes_on() -> None:
    thought = [
        ev.reasoning_start("t"),
        ev.reasoning_content("t", "Talvez."),
        ev.reasoning_end("t", duration_ms=4),
    ]
    early = EarlyMessages("pt")
    assert [each["text"] for each in early.pop_complete([*text("m1", "Um."), *thought])] == ["Um."]
    told = early.finish([stored("m1", "Um."), {"role": "reasoning", "id": "t", "content": "Talvez."}])
    assert told == []


def test_words_of_others_and_empty_texts_are_not_told() -> None:
    early = EarlyMessages("pt")
    user = [
        {"type": "TEXT_MESSAGE_START", "messageId": "u", "role": "user"},
        ev.text_content("u", "Olá"),
        ev.text_end("u"),
    ]
    assert early.pop_complete([*user, *text("m1"), *text("m2", "Sim.")]) == []


class Piece(str):
    """A piece of a text that is never added to the text before it, which would copy that for each piece."""

    __slots__ = ()

    def __radd__(self, before: str) -> str:
        raise AssertionError(f"{len(before)} characters are copied")


def test_the_text_so_far_is_not_copied_for_each_piece() -> None:
    pieces = text("m1", *map(Piece, "Vou ver."))
    streamed, early = StreamedTexts(), EarlyMessages("pt")
    assert [streamed.add(each) for each in pieces] == ["", *"Vou ver.", ""]
    assert streamed.texts() == {"m1": "Vou ver."}
    assert early.pop_complete([*pieces, *text("m2")]) == [{"text": "Vou ver.", "role": "assistant"}]


def test_texts_are_streamed_as_paragraphs_and_words_of_others_are_not() -> None:
    streamed = StreamedTexts()
    user = {"type": "TEXT_MESSAGE_START", "messageId": "u", "role": "user"}
    events = [user, ev.text_content("u", "Olá"), *text("m1"), *text("m2", "Um", "."), *text("m3", "Dois")]
    assert "".join(streamed.add(each) for each in events) == "Um.\n\nDois"
    assert streamed.texts() == {"m1": "", "m2": "Um.", "m3": "Dois"}
