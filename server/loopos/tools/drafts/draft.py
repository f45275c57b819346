"""The draft of a submission, kept in the session: a public half for all readers, and a private half that guards it.

The draft decides and not the model: it knows the offers, the clicks and the block that waits for an answer.
"""

from collections.abc import Collection
from dataclasses import dataclass
from itertools import dropwhile, takewhile

from server import patterns
from server.languages import Language, fold
from server.loopos.answers.clauses.joined_facts import divide_facts
from server.loopos.tools.drafts.earlier_items import note_earlier, words_of_this
from server.loopos.tools.drafts.open_question import OpenQuestion
from server.loopos.tools.drafts.proposal_choices import answer_in_label
from server.loopos.tools.drafts.selected_options import note_chosen, value_ids_of
from server.loopos.tools.drafts.typed_places import click_at_place
from server.loopos.tools.drafts.written_messages import note_written
from server.loopos.tools.tool_words import say
from server.text_reading.things.owners import without_other_owner
from server.text_reading.things.things_kept_back import without_separate_sales
from server.text_reading.wishes.agreements import spell_shown_yes
from server.text_reading.wishes.side_corrections import SideCorrection, side_correction, with_sides_put_right
from server.text_reading.wishes.spoken_languages import spoken_language, without_language_wish

REFUSALS = frozenset(
    {"nao", "no", "nope", "nah", "nenhum", "nenhuma", "nenhum destes", "none", "none of these"}
)
MOST_HEARD = 40
"""So many messages about a product are kept: a sale has fewer, and its first one often says the price."""
MOST_TOGETHER = 4_000
"""So many characters of the kept messages are read, the newest first: forty of a hundred."""
_FACTS_OF_ANSWER = 2
_TELLING = 2_000
"""So many characters of a message tell its language."""
_LONGEST_REFUSAL, _LEFT = 200, "left_options"
_OF_ITEM = (
    "answers",
    "noticed",
    "put_off",
    "unsure",
    "price",
    "told",
    "untold",
    "addition",
    "passing_price",
    "put_price",
    "denied_answers",
    "denied_text",
    "whole_text",
    "carried",
)
"""What is kept of one item, and of no other."""
_BLANKS, _MARKS = patterns.compile(r"\s{3,}"), patterns.compile(r"([^\w\s])\1{3,}")
_PHRASES = patterns.compile("[\ufdfa\ufdfb]")
"""Characters that each become a phrase of up to eighteen letters where a text is folded."""


def tidy_words(text: str) -> str:
    """Return words as judges read them: more than two blanks in a row are one blank or line break, and of more than
    three equal marks in a row three are left. What is shown of a message has all of them.
    """
    joined = _BLANKS.sub(lambda found: "\n" if "\n" in found[0] else " ", _PHRASES.sub(" ", text))
    return _MARKS.sub(r"\1\1\1", joined).strip()


def _own_words(text: str) -> str:
    """Return a text without what it says of another's thing, of a language to speak, and of what is sold apart."""
    return without_separate_sales(without_language_wish(without_other_owner(text)))


@dataclass(frozen=True)
class Draft(OpenQuestion):
    """A view of one run's state; it holds nothing itself."""

    # -- the words and clicks of the seller

    def clicked_value(self, name: str) -> str | None:
        """Return the value that this run's message clicked in the block of that name."""
        for part in self.run.input:
            if part.get("type") == "answer" and part.get("name") == name:
                return str(part.get("value", ""))
        return None

    def typed_text(self) -> str:
        """Return what the seller wrote in this run's message, tidied; a click counts by the answer in its label.

        What is said of the thing of another owner to correct a value is left out, what is sold apart, and what puts a
        side right that was told before.
        """
        correction = told_side_correction(self)
        return _written_text(self) if correction is None else correction.rest

    @property
    def language(self) -> Language:
        """Return the seller's own language, as long as the page's has not been switched since."""
        setting, spoken = self.run.private.get("language", (None, None))
        return spoken if setting == self.run.language and spoken else self.run.language

    def note_language(self) -> Language:
        """Keep the language that this message is written in, where it shows one; returns that of the conversation."""
        text = " ".join(str(part.get("text") or "") for part in self.run.input)
        begins = self.newest_earlier_run() is None and not self.run.private.get("language")
        if spoken := spoken_language(text[:_TELLING], self.language, begins=begins):
            self.run.private["language"] = [self.run.language, spoken]
        return self.language

    def refuses(self) -> bool:
        """Return whether the whole message is a plain no, typed or clicked."""
        clicked = any(part.get("type") == "answer" and part.get("value") == "no" for part in self.run.input)
        typed = self.typed_text()
        return clicked or (len(typed) <= _LONGEST_REFUSAL and fold(typed) in REFUSALS)

    def hear(self) -> str:
        """Add this message to what the seller said about the product, once; returns all that is read of it.

        Each tool calls it before it shows anything. The place of a choice that was typed is a click on it from here on.
        """
        self.note_language()
        click = click_at_place(self.run.input, self.open_before(), self.run.private.get("listed"))
        if click is not None:
            self.run.input = [click]
        heard: list[list[str]] = self.run.private.setdefault("heard", [])
        if not any(run_id == self.run.run_id for run_id, _ in heard):
            typed = "" if _asks_to_change(self) else _written_text(self)
            written = words_of_this(self.run, typed)[:500]
            heard.append([self.run.run_id, divide_words(self, written)])
            del heard[:-MOST_HEARD]
            note_written(self.run, written)
        return " ".join(reversed(self.messages()))

    def messages(self) -> list[str]:
        """Return what the seller wrote about the product, message by message, the newest first, each tidied."""
        return [text for _, text in self.heard_messages()]

    def earlier_messages(self, after: str | None = None) -> list[str]:
        """Return what the seller wrote about the product before this message, the newest first, each tidied.

        `after` leaves out the message of that run and all before it.
        """
        earlier = [each for each in self.heard_messages() if each[0] != self.run.run_id]
        return [text for _, text in takewhile(lambda each: each[0] != after, earlier)]

    def messages_before_product(self) -> list[str]:
        """Return the messages up to the one that confirmed the product, the newest first; none where it is not kept."""
        kept, confirmed = self.heard_messages(), self.run.private.get("confirmed_in")
        return [text for _, text in dropwhile(lambda each: each[0] != confirmed, kept)]

    def newest_earlier_run(self) -> str | None:
        """Return the run of the newest message about the product before this one."""
        return next((run_id for run_id, _ in self.heard_messages() if run_id != self.run.run_id), None)

    def heard_messages(self) -> list[tuple[str, str]]:
        """Return the runs of the newest messages and what is read of each, with the sides that newer ones put right."""
        kept = _newest_heard(self.run.private.get("heard", []))
        right = with_sides_put_right([text for _, text in kept])
        return [(run_id, text) for (run_id, _), text in zip(kept, right, strict=True)]

    # -- what was offered

    def offer(self, key: str, name: str) -> None:
        """Remember that a product was shown in this run."""
        offered = self.run.private.setdefault("offered", {})
        offered.setdefault(key, {"run": self.run.run_id, "name": name})

    def was_offered_before(self, key: str) -> bool | None:
        """Return True when shown in an earlier run, False when only in this one, None when never."""
        entry = self.run.private.get("offered", {}).get(key)
        return None if entry is None else entry["run"] != self.run.run_id

    # -- product, options, item

    @property
    def product_id(self) -> int | None:
        """Return the confirmed product."""
        return self.run.state.get("product_id")

    @property
    def chosen(self) -> dict[int, int]:
        """Return the chosen option values by option type; NO_VALUE where the item has none of them."""
        return {int(kind): int(value) for kind, value in self.run.private.get("chosen", {}).items()}

    def choose(self, option_type_id: int, option_value_id: int, names: dict[str, str]) -> None:
        """Keep one option value; `names` are all chosen ones as the seller reads them."""
        note_chosen(self.run, option_type_id)
        self.run.private.setdefault("chosen", {})[str(option_type_id)] = option_value_id
        self.run.set_state(option_value_ids=value_ids_of(self.run), options=names)

    def take(self, product_id: int, product: str, brand_id: int, brand: str) -> None:
        """Keep the confirmed product; another product than before has other options and answers."""
        self.run.private.pop("aside", None)
        if self.product_id != product_id:
            self.forget_options()
            for key in _OF_ITEM:
                self.run.private.pop(key, None)
            if left := self.run.private.get(_LEFT, {}).pop(str(product_id), None):
                self.run.private["chosen"] = left["chosen"]
                self.run.set_state(option_value_ids=value_ids_of(self.run), options=left["options"])
        self.run.private["confirmed_in"] = self.run.run_id
        self.run.set_state(product_id=product_id, product=product, brand_id=brand_id, brand=brand)

    def forget_options(self, *, is_sold: bool = False) -> None:
        """Start the options again; those of a product that is left unsold are offered again when it comes back."""
        self.abandon_rows()
        if self.run.private.get("chosen") and self.product_id is not None and not is_sold:
            kept = {"chosen": self.run.private["chosen"], "options": self.run.state.get("options")}
            self.run.private.setdefault(_LEFT, {})[str(self.product_id)] = kept
        for key in ("chosen", "unsure", "unlisted"):
            self.run.private.pop(key, None)
        self.run.set_state(option_value_ids=None, options=None, options_left=None)

    def has_item(self) -> bool:
        """Return whether an item exists, in which the seller's corrections are made."""
        return self.run.state.get("item_id") is not None

    def forget_item(self, *, is_kept: bool = False) -> None:
        """Leave the created item behind, which is kept or withdrawn, and make room for another one here."""
        if is_kept:
            note_earlier(self.run)
        if self.has_item():
            self.run.private["round"] = self.round + 1
        self.leave_card()
        self.abandon_rows()
        for key in ("item_token", "card", *_OF_ITEM):
            self.run.private.pop(key, None)
        for key in ("item_id", "reference", "price", "status", "answers", "position", "total"):
            self.run.set_state(**{key: None})

    def leave_card(self, *, withdrawn: bool = False) -> None:
        """Close the card of a finished item, since another one is looked for: its buttons would act on that one."""
        card = self.run.private.get("card")
        if card is None or (card.get("left") and not withdrawn):
            return
        another = {"value": "another", "label": say("card.another", self.language)}
        self.run.close_block(card["id"], None if withdrawn else another)
        self.run.private["card"] = {**card, "left": True}

    def put_aside(self, *, keeps_words: bool = False) -> None:
        """Go back to the very beginning; what was chosen is offered again if it is that product after all."""
        if self.product_id is not None:
            self.run.private["aside"] = {"product_id": self.product_id}
        self.forget_item()
        self.forget_options()
        if not keeps_words:
            self.forget_words()
        self.run.set_state(product_id=None, product=None, brand_id=None, brand=None)

    def forget_words(self) -> None:
        """Forget the words so far: they were about another product."""
        self.run.private.pop("heard", None)

    def forget_words_until(self, run_id: str, kept: Collection[str]) -> None:
        """Forget what was said, up to that run, of what the catalog lacks, but for the runs `kept` and this one."""
        heard = self.run.private.get("heard", [])
        last = max((place for place, each in enumerate(heard) if each[0] == run_id), default=-1)
        own = {*kept, self.run.run_id}
        self.run.private["heard"] = [
            each for place, each in enumerate(heard) if place > last or each[0] in own
        ]

    @property
    def round(self) -> int:
        """Return the number of items that this conversation has left behind."""
        return int(self.run.private.get("round", 0))

    @property
    def business_key(self) -> str:
        """Return the name of the one item that this round may create."""
        return f"{self.run.session_id}:{self.round}"


def _newest_heard(kept: list[list[str]]) -> list[tuple[str, str]]:
    """Return the newest of kept messages with their runs, the newest first, of MOST_TOGETHER characters."""
    found, left = list[tuple[str, str]](), MOST_TOGETHER
    for run_id, text in reversed(kept):
        read = tidy_words(text)
        left -= len(read)
        if left < 0:
            break
        found.append((run_id, read))
    return found


def _written_text(draft: Draft) -> str:
    """Return the words of this run's message, those that put a side right too."""
    said = (part.get("text") or answer_in_label(str(part.get("label") or "")) for part in draft.run.input)
    return _own_words(tidy_words(spell_shown_yes(" ".join(map(str, said)))))


def told_side_correction(draft: Draft) -> SideCorrection | None:
    """Return what this run's message says of a side that it or an older one told otherwise."""
    heard = _newest_heard(draft.run.private.get("heard", []))
    earlier = [text for run_id, text in heard if run_id != draft.run.run_id]
    return side_correction(_written_text(draft), *earlier)


def typed_place(draft: Draft, name: str) -> str | None:
    """Return the value of the choice of that name whose place this run's message typed."""
    return draft.clicked_value(name) if any(part.get("is_typed") for part in draft.run.input) else None


def was_sent_twice(draft: Draft) -> bool:
    """Return whether this message is the one before it, word for word."""
    return draft.earlier_messages()[:1] == [tidy_words(divide_words(draft, draft.typed_text()[:500]))]


def _asks_to_change(draft: Draft) -> bool:
    """Return whether this message is a click on what is to change: its label tells nothing of the item."""
    return draft.has_item() and any(part.get("name") in ("change", "correct") for part in draft.run.input)


def divide_words(draft: Draft, words: str) -> str:
    """Return words with commas between their facts: behind a name one is enough, of an answer more are needed."""
    return divide_facts(words, _FACTS_OF_ANSWER if draft.product_id else 1)
