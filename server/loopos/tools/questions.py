"""The questions of one item as the seller meets them: order, notices on the way, blocks, and the card."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from server.loopos.answers import NO_PRICE, PRICE, Element, ProbableAnswer, Text
from server.loopos.common_answers import common_answer
from server.loopos.cores import item_path
from server.loopos.pictures import picture_path
from server.loopos.tools.confirmation import ask_back, confirmation_block, pending, to_settle
from server.loopos.tools.draft import Draft
from server.loopos.tools.early_facts import early_fact
from server.loopos.tools.other_items import left_for_later
from server.loopos.tools.tool_words import say
from server.protocol.blocks import Block, Card, Choice, Choices, Form, Input, Notice, Pair, Tone

FIRST = 5
KEYS = 9
"""So many choices answer to a key each."""
_INPUTS: dict[str, Input] = {"number": "number", "price": "number", "date": "date", "text": "text"}


class Questions:
    """A protocol with the answers so far, kept in the private half of the session."""

    def __init__(self, draft: Draft, elements: Sequence[Element]) -> None:
        self.draft = draft
        self.elements = tuple(elements)
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
        if value is None:
            return ""
        if element.kind == "price":
            return str(shown).strip("€\u00a0")
        unit = element.unit_of(value) if element.kind == "number" else None
        return str(shown).removesuffix(unit.text_in(self.draft.language)).strip() if unit else str(shown)

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

    def fold(self, element: Element, shown: str) -> None:
        """Fold the question to its answer."""
        answer = {"value": str(self.answers[element.id][0]), "label": shown}
        self.draft.fold_question(self.block(element), element.id, answer)

    def block(self, element: Element, value: str = "", error: str = "") -> Block:
        """Return the question as choices or as a form with one field; or what was understood of its answer."""
        language = self.draft.language
        position, total = self.position(element), len(self.asked)
        guess, label = pending(self.draft, element.id), element.label.text_in(language)
        if guess is not None:
            return confirmation_block(self.draft, element.id, label, guess, position=position, total=total)
        change = Choice(element.id, say("choice.change.label", language, name=label), name="change")
        key = "choice.unsure" if not element.required else "choice.later" if error else ""
        unsure = Choice(say(key, language), say(key, language)) if key else None
        if element.kind == "price":
            unsure = Choice(NO_PRICE.text_in(language), NO_PRICE.text_in(language))
        hint = element.hint.text_in(language) if element.hint else ""
        if element.kind in ("select", "boolean"):
            choices = _choices(element, language)
            first = FIRST if len(choices) > FIRST + 1 else None
            return Choices(
                element.id,
                label,
                choices,
                hint=hint,
                error=error,
                first=first,
                unsure=unsure,
                change=change,
                in_place=True,
                position=position,
                total=total,
            )
        return Form(
            element.id,
            label,
            _INPUTS.get(element.kind, "text"),
            hint=hint,
            unit=element.unit.text_in(language) if element.unit else "",
            value=value,
            error=error,
            required=element.required,
            unsure=unsure,
            change=change,
            in_place=True,
            position=position,
            total=total,
        )

    def answers_to_change(self) -> list[Choice]:
        """Return the answers as choices of what to change."""
        language = self.draft.language
        answered = [element for element in self.asked if element.id in self.answers]
        return [
            Choice(element.id, element.label.text_in(language), self.shown[element.id], "change")
            for element in answered
        ]


def _choices(element: Element, language: str) -> tuple[Choice, ...]:
    """Return the answers of a select, or yes and no."""
    if element.kind == "boolean":
        words = (say("choice.yes", language), say("choice.no", language))
        return tuple(Choice(word, word) for word in words)
    return tuple(Choice(option.value, option.label.text_in(language)) for option in element.options)


def show_question(
    questions: Questions, element: Element, value: str = "", error: str = "", *, again: bool = False
) -> None:
    """Show a question, with what it was answered before, or `again`: with what was wrong, or what was understood."""
    value = value or questions.typed_answer(element)
    block = questions.block(element, value, error)
    questions.draft.ask(block, element.id, again=again or bool(error), refused=bool(error))


def show_next(questions: Questions, item: Any, wanted: Element | None = None) -> Element | None:
    """Show what comes next: the wanted or the next question, or the item itself when nothing is asked of it.

    Returns the question.
    """
    following = wanted or (None if item.status == "refused" else questions.next())
    questions.notices_before(following)
    if following is not None:
        show_question(questions, following, again=_ask_early_fact(questions, following))
    questions.draft.run.set_state(status=item.status)
    questions.tell_position()
    if following is None:
        questions.draft.fold(None)
        _show_end(questions, item)
    return following


def _ask_early_fact(questions: Questions, element: Element) -> bool:
    """Ask once to confirm an answer that the seller gave before; return whether this call asks."""
    draft = questions.draft
    told: list[str] = draft.run.private.setdefault("told", [])
    if element.id in told or element.id in questions.answers or pending(draft, element.id):
        return False
    guess = early_fact(draft, element)
    if guess is not None:
        told.append(element.id)
        ask_back(draft, element.id, ProbableAnswer(guess))
    return guess is not None


def _show_end(questions: Questions, item: Any) -> None:
    """Show the item; where answers are missing that the seller put off, what they are."""
    missing = [] if item.status == "refused" else questions.open()
    if not missing:
        _show_card(questions, item)
        return
    language = questions.draft.language
    choices = tuple(Choice(each.id, each.label.text_in(language), name="change") for each in missing)
    questions.draft.ask(Choices("later", say("block.later", language), choices), "later")


def ask_which(questions: Questions, options: Sequence[Choice]) -> None:
    """Show what was chosen and answered, to choose from what is to change; what stands open waits meanwhile."""
    choices = (*options, *questions.answers_to_change())
    first = KEYS - 1 if len(choices) > KEYS else None
    legend = say("block.change.what", questions.draft.language)
    questions.draft.ask(Choices("correct", legend, choices, first=first), "correct")


def _show_card(questions: Questions, item: Any) -> None:
    """Show the item as it is now; a card that showed it earlier is closed, one of this message is replaced."""
    run = questions.draft.run
    earlier: dict[str, Any] | None = run.private.get("card")
    if earlier is not None and earlier["run"] == run.run_id:
        run.block(_card(questions, item), instead_of=earlier["id"])
        return
    if earlier is not None:
        run.close_block(earlier["id"])
    run.private["card"] = {"id": run.block(_card(questions, item)), "run": run.run_id}


def _card(questions: Questions, item: Any) -> Card:
    """Return the card of an item with its options and answers."""
    run, language, complete = questions.draft.run, questions.draft.language, item.status == "complete"
    pairs = [Pair(say("card.brand", language), item.brand)]
    pairs += [Pair(name, value) for name, value in item.options.items()]
    pairs += [
        Pair(element.label.text_in(language), str(questions.answers[element.id][1]))
        for element in questions.asked
        if element.kind != "price" and questions.answers.get(element.id, [None])[0] is not None
    ]
    first = next(iter(item.pictures or ()), None)
    also = tuple(say("card.also", language, item=each) for each in left_for_later(questions.draft))
    correct = Choice("card", say("card.correct.label", language), name="correct")
    lines = [f"{item.product} · {item.brand}", *(f"{name}: {value}" for name, value in item.options.items())]
    price = item.asking_price.text_in(language) if item.asking_price is not None else ""
    lines += [price] if price else []
    price_action = Choice(PRICE.id, say("card.say_price", language), name="change")
    is_missing = complete and item.asking_price is not None and not price
    return Card(
        title=item.product,
        tag=say("card.complete" if complete else "card.refused", language),
        tone="good" if complete else "bad",
        reference=item.reference,
        pairs=tuple(pairs),
        price=price,
        image=picture_path(run.session_id, first.id) if first else "",
        link=item_path(item.id, run.app, run.session_context) if complete else "",
        next_steps=common_answer(run, "next", language) if complete else "",
        share="\n".join([*lines, item.reference]) if complete else "",
        actions=(correct, price_action) if is_missing else (correct,),
        suggestions=(*also, say("card.another", language)),
    )
