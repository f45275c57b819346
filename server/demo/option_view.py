"""The options of the product as the conversation shows them, and which of them a message names."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from server import patterns
from server.demo import asides
from server.demo.conversation_view import Call, ConversationView, Output
from server.demo.offers import VARIANTS
from server.demo.reading import MOST_LETTERS, PHRASES, intents
from server.demo.reading.matching import content, fact, match, pick, tokens, without_denied
from server.demo.reading.query import halves, query_of
from server.languages import fold
from server.text_reading.own_questions import asks_what_is, settled_guess
from server.text_reading.tool_names import CHANGE, CONFIRM, OPTIONS, REOPEN, SELECT
from server.text_reading.wishes.agreements import without_price_of
from server.text_reading.words.matches import Matches, deny_lacking
from server.text_reading.words.sizes import lone_size

_KINDS = [(set(names.split()), set(words.split())) for names, words in PHRASES["kinds"].items()]
_OTHER = patterns.compile(
    r"\b(?:(?:[ée]|era) uma?|(?:is|was|it['’]?s) an?) (?=[^.,;!?\n]{0,200}[\dA-Z])[^\W\d]{3}"
)
_MODEL, _WITHOUT = patterns.compile(r"[a-z]+\d\w*"), "sem"  # The first of the words that mean it.
_ASKED_BACK = (("confirm", True), ("confirm", False), ("not_confirmed", True))
"""Codes of a value that is asked back, or asked for after a no, and whether it is newer than the view."""


@dataclass(frozen=True)
class Kind:
    """An option type of the product."""

    id: int
    name: str
    values: tuple[tuple[int, str], ...]
    """The values with their ids; the last one, with the id 0, is none of them, where an item may lack it."""
    chosen: int | None

    @property
    def names(self) -> list[str]:
        """Return the names of the option's values as people read them."""
        return [name for value, name in self.values if value]

    @property
    def value(self) -> str:
        """Return the chosen value's name."""
        return next((name for each, name in self.values if each == self.chosen), "")

    def select(self, place: int) -> Call:
        """Choose the value at that place."""
        return Call(SELECT, {"option_type_id": self.id, "option_value_id": self.values[place][0]})


@dataclass(frozen=True)
class OptionView:
    """The current options of the product."""

    product: str
    kinds: tuple[Kind, ...]
    unsure: frozenset[int] = frozenset()
    """The option types whose value was asked back or denied: one of them is open."""

    @property
    def next(self) -> Kind | None:
        """Return the first open option; one whose value was asked back stands before the others."""
        left = [kind for kind in self.kinds if kind.chosen is None]
        return min(left, key=lambda kind: kind.id not in self.unsure, default=None)

    @property
    def words(self) -> set[str]:
        """Return the words of the option types and of their values."""
        return {word for kind in self.kinds for name in (*kind.names, kind.name) for word in tokens(name)}

    @property
    def values(self) -> list[str]:
        """Return the chosen values."""
        return [kind.value for kind in self.kinds if kind.value]

    def kind_meant(self, text: str) -> Kind | None:
        """Return the option type that the message names ("the colour is wrong")."""
        said = {*patterns.sub(r"(?<=\d) gb\b", "", " ".join(tokens(text))).split()}
        words = said.union(*(names for names, meaning in _KINDS if not said.isdisjoint(meaning)))
        return next((kind for kind in self.kinds if set(tokens(kind.name)) & words), None)

    def choices_in(self, text: str) -> list[Call]:
        """Return the values that the message names: of the open option in any wording, of the others beyond doubt."""
        text = settled_guess(text)
        rest = lone_size("", fold(text)) or intents.after_lead(text)
        talk = intents.inside(text, "off_topic", "price", "insult") or asks_what_is(text)
        if self.next is not None and len(self.next.names) == 1 and intents.whole(text, "yes"):
            return [self.next.select(0)]
        if talk or not rest or intents.whole(text, "why", "unsure", "stop"):
            return []
        calls: list[Call] = []
        open_kind = self.kind_meant(rest) or self.next
        clauses = patterns.split(r"[,;.]\s", rest)
        own = [each for each in clauses if open_kind and self.kind_meant(each)]
        said = (_value_of(open_kind, each, self.product) for each in (*own, rest) if open_kind)
        if open_kind is not None and (taken := next((e for e in said if e is not None), None)) is not None:
            calls.append(open_kind.select(taken))
        for kind in [each for each in self.kinds if each is not open_kind]:
            place = fact(rest, kind.names, ignore=self.product)
            if place is None and (calls or kind.chosen is not None or self.unsure):
                parts = [each for each in clauses if len(content(each)) == 1] if calls else [rest]
                place = next((e for each in parts if (e := match(each, kind.names).one) is not None), None)
            if place is not None and (kind.values[place][0] != kind.chosen or kind.id in self.unsure):
                calls.append(kind.select(place))
        return calls


def option_view_of(view: ConversationView) -> OptionView | None:
    """Return the last view of the options with what was selected since; None when none belongs to this product."""
    shown, confirmed = view.last(OPTIONS), view.last(CONFIRM, REOPEN)
    if shown is None or not shown.result.get("product") or (confirmed and confirmed.at > shown.at):
        return None
    kinds = tuple(_kind(view.since(shown), each) for each in shown.result.get("option_types", []))
    selected = [each for each in view.since(confirmed) if each.name == SELECT]
    told = {e.arguments.get("option_type_id"): (e.result.get("code"), e.at > shown.at) for e in selected}
    unsure = frozenset(each.id for each in kinds if told.get(each.id) in _ASKED_BACK)
    return OptionView(str(shown.result["product"]), kinds, unsure)


def _kind(since: Sequence[Output], shown: Mapping[str, Any]) -> Kind:
    """Return an option with the value that was chosen last: selected for the draft, or changed in the item."""
    values = tuple((each["option_value_id"], each["name"]) for each in shown["values"])
    kind_id, chosen = shown["option_type_id"], shown["chosen"]
    for output in since:
        if shown["name"] not in output.result.get("changed", {shown["name"]: ""}):
            continue
        if output.name in (SELECT, CHANGE) and output.result.get("ok"):
            named = output.arguments.get("option_value_ids", ())
            if output.arguments.get("option_type_id") == kind_id:  # The draft names what it took.
                named = [each for each, name in values if name == output.result["value"]]
            chosen = next((each for each, _ in values if each in named), chosen)
    return Kind(kind_id, shown["name"], values, chosen)


def _typed_texts(view: ConversationView) -> list[str]:
    """Return what the person typed about this product since the last return to the beginning, newest first."""
    returns = [each.at for each in view.outputs if "product_identification" in each.name]
    told = (view.last(CONFIRM) or view.outputs[-1]).result.get("told")
    back = max(returns[: None if told is None else -1], default=-1)  # The last one corrected the product.
    first = max((each.at for each in view.messages if each.at < back), default=-1)
    typed = [each.text for each in reversed(view.messages) if each.at >= first and not each.is_click]
    read = accumulate(map(len, typed))
    return [text for text, letters in zip(typed, read, strict=True) if letters <= 2 * MOST_LETTERS]


def facts(view: ConversationView, options: OptionView, refused: Sequence[object] = ()) -> list[Call]:
    """Return what was already said about the open options; the newest word counts that was not refused."""
    calls, named = [], {*content(options.product)}
    told = [half for each in view.messages if named & {*content(half := halves(each.text)[1])}]
    for kind in (each for each in options.kinds if each.chosen is None):
        for text in (*_typed_texts(view), *told):
            place = fact(text, kind.names, ignore=options.product)
            place = match(intents.after_lead(text), kind.names).one if place is None else place
            if place is not None and kind.select(place).arguments not in refused:
                calls.append(kind.select(place))
                break
    return calls


def _value_of(kind: Kind, text: str, product: str) -> int | None:
    """Return the place of the value that a message names in any wording, or that alone its denials leave."""
    text = deny_lacking(text, kind.names)
    taken = pick(text, kind.names).one
    taken = fact(text, kind.names, ignore=product) if taken is None else taken
    left = [] if taken is not None else not_denied(text, kind.names)
    return left[0] if len(left) == 1 else taken


def not_denied(text: str, names: Sequence[str]) -> list[int]:
    """Return the values that are left where the text denies some and names none: `not the music one`, `o 64 não`."""
    said, denied = without_denied(text)
    gone, named = {*tokens(denied)}, [{*tokens(name)} for name in names]
    left = [place for place, words in enumerate(named) if not gone & words or _WITHOUT in words]
    return left if len(left) < len(names) and match(said, names) == Matches() else []


def other_product(text: str, options: OptionView) -> bool:
    """Return whether a correction names a model that is neither this product nor one of its values, no price."""
    if _OTHER.search(text) and not options.choices_in(text):
        return not set(tokens(options.product)) <= set(tokens(text))
    said, product = {*tokens(text := without_price_of(text))}, {*tokens(options.product)}
    words = {word for word in said if patterns.search(r"[a-z]", word)}
    strange = {word for word in said if word.isdigit()}
    if asides.says_which(text):
        if {e for e in words if e in VARIANTS or _MODEL.fullmatch(e)} - product - options.words:
            return True
        strange.update(tokens(query_of(text)))
    return bool(product & words and strange - product - options.words)
