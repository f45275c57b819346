"""The questions of one item: their order, their answers, and the notices on the way."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from server.loopos.answers import PRICE, Element, Text
from server.loopos.core import Core, Item
from server.loopos.tools.drafts.confirmation import pending, to_settle
from server.loopos.tools.drafts.draft import Draft
from server.loopos.tools.drafts.proposal_choices import typed_answer
from server.protocol.blocks import Choice, Notice, Tone


class Questions:
    """A protocol with the answers so far, kept in the private half of the session."""

    def __init__(self, draft: Draft, elements: Sequence[Element], options: Mapping[str, str]) -> None:
        """`options` has the name under which a click on each option arrives, by what the option is called."""
        self.draft, self.options = draft, options
        self.elements = _with_text_last(elements)
        self.asked = tuple(element for element in elements if element.asks)
        if self.asks_price:
            self._add_price()

    @property
    def asks_price(self) -> bool:
        """Return whether the asking price is among the questions."""
        return "price" in self.draft.run.private

    def ask_price(self, hint: str | None = None) -> None:
        """Put the asking price behind the other questions; `hint` is what is said beside it, instead of before."""
        known: dict[str, str] = self.draft.run.private.setdefault("price", {})
        if hint is not None:
            known["hint"] = hint
        self._add_price()

    def _add_price(self) -> None:
        hint = str(self.draft.run.private["price"].get("hint", ""))
        price = replace(PRICE, hint=Text(hint, hint) if hint else None)
        self.elements = (*(each for each in self.elements if each.id != PRICE.id), price)
        self.asked = tuple(each for each in self.elements if each.asks)

    @property
    def answers(self) -> dict[str, list[Any]]:
        """Return value and shown text by element."""
        found: dict[str, list[Any]] = self.draft.run.private.setdefault("answers", {})
        return found

    @property
    def shown(self) -> dict[str, str]:
        """Return the answers as people read them."""
        return {element_id: str(shown) for element_id, (_, shown) in self.answers.items()}

    def typed_answer(self, element: Element) -> str:
        """Return the present answer as it would be typed: nothing for a skipped one, no unit beside the field's."""
        value, shown = self.answers.get(element.id, (None, ""))
        return typed_answer(element, value, str(shown), self.draft.language)

    def keep(self, element: Element, value: Any, shown: str) -> None:
        """Note an accepted answer."""
        self.answers[element.id] = [value, shown]

    def drop_all_but(self, kept: Collection[str]) -> list[Element]:
        """Forget the other answers but the price; returns the questions that are asked again."""
        mine = {*kept, PRICE.id}
        again = [each for each in self.asked if each.id in self.answers and each.id not in mine]
        for element in again:
            del self.answers[element.id]
        return again

    def open(self) -> list[Element]:
        """Return the questions that are still to be answered."""
        return [element for element in self.asked if element.id not in self.answers]

    def next(self) -> Element | None:
        """Return the question that was asked back or denied; else the first open one that was not put off."""
        waiting = (element for element in self.open() if element.id not in self._put_off)
        return self.to_settle() or next(waiting, None)

    def to_settle(self) -> Element | None:
        """Return the question to ask again, or whose answer is asked back first, in the order of the protocol."""
        name = to_settle(self.draft, [element.id for element in self.asked])
        return next((element for element in self.asked if element.id == name), None)

    @property
    def _put_off(self) -> list[str]:
        found: list[str] = self.draft.run.private.setdefault("put_off", [])
        return found

    def put_off(self, element: Element) -> None:
        """Ask the others first: the seller does not know this one now."""
        if element.id not in self._put_off:
            self._put_off.append(element.id)

    def count_refusal(self, element: Element, code: str) -> int:
        """Count how often in a row an answer to this question was refused as `code`; returns that number."""
        last = self.draft.run.private.get("refused", [])
        count = last[2] + 1 if last[:2] == [element.id, code] else 1
        self.draft.run.private["refused"] = [element.id, code, count]
        return count

    def was_told_to_skip(self, element: Element) -> bool:
        """Return whether the last refusal at this question said that it can be skipped."""
        last = self.draft.run.private.get("refused", [])
        return bool(last[:1] == [element.id] and last[2] % 2 == 0)

    def wanted_element(self, change: str | None = None) -> Element | None:
        """Return the question whose answer the seller clicked to change, else the one that the model understood."""
        named = self.draft.clicked_value("change") or change
        return next((element for element in self.asked if element.id == named), None)

    def position(self, element: Element | None) -> int:
        """Return the number of the question, counted from one."""
        return self.asked.index(element) + 1 if element in self.asked else len(self.asked)

    def tell_position(self) -> None:
        """Say in the state how far it is."""
        done = len(self.asked) - len(self.open())
        self.draft.run.set_state(position=done, total=len(self.asked), answers=self.shown)

    def describe(self, element: Element) -> dict[str, Any]:
        """Return what the model reads of an element."""
        language = self.draft.language
        told: dict[str, Any] = {
            "element_id": element.id,
            "class": element.class_name,
            "label": element.label.text_in(language),
            "required": element.required,
            "hint": element.hint.text_in(language) if element.hint else "",
        }
        guess = pending(self.draft, element.id)
        if guess is not None:
            told["understood"] = guess.shown
        if element.options:
            told["options"] = [option.label.text_in(language) for option in element.options]
        told |= {"max": element.max} if element.kind == "number" and element.max is not None else {}
        return told

    def notices_before(self, following: Element | None) -> None:
        """Show the notices on the way to the next question, each once; at the end all that are left."""
        run, language = self.draft.run, self.draft.language
        end = self.elements.index(following) if following else len(self.elements)
        seen: list[str] = run.private.setdefault("noticed", [])
        for element in self.elements[:end]:
            if not element.asks and element.id not in seen:
                seen.append(element.id)
                tone: Tone = "warning" if element.kind == "warning" else "info"
                text = element.hint.text_in(language) if element.hint else ""
                run.block(Notice(element.label.text_in(language), text, tone))

    def answers_to_change(self) -> list[Choice]:
        """Return the answers as choices of what to change."""
        language = self.draft.language
        answered = [element for element in self.asked if element.id in self.answers]
        return [
            Choice(element.id, element.heading.text_in(language), self.shown[element.id], "change")
            for element in answered
        ]


def _with_text_last(elements: Sequence[Element]) -> tuple[Element, ...]:
    """Return the elements with the last free text behind all other questions: what the seller adds while they are
    answered is asked there.
    """
    texts = [each for each in elements if each.kind == "text" and each.pattern is None]
    last = max((at for at, each in enumerate(elements) if each.asks), default=-1)
    if not texts or elements[last] is texts[-1]:
        return tuple(elements)
    before, behind = elements[: last + 1], elements[last + 1 :]
    return (*(each for each in before if each is not texts[-1]), texts[-1], *behind)


def count_left(questions: Questions) -> int:
    """Return how many questions are still to be answered, without the price: that one comes on the way."""
    return sum(element.kind != "price" for element in questions.open())


async def current_item(questions: Questions) -> Item:
    """Return the item of these questions as it is stored. Raises what the Core raises where it cannot be read."""
    draft, run = questions.draft, questions.draft.run
    return await run.resource(Core).item(run.state["item_id"], run.principal, language=draft.language)
