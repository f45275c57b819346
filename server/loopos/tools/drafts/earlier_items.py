"""Items of this conversation that are sold: what a message asks for one of them is not of the next one."""

from collections.abc import Mapping, Sequence
from typing import Any

from server import patterns
from server.agents import RunContext
from server.languages import fold
from server.loopos.answers.words import MOST_LETTERS, tokens
from server.loopos.catalog.words import VARIANTS

_MOST = 10
"""So many of them are remembered, the newest."""
_SHORTEST = 3
_IDLE = frozenset("the and for with smart tudo all one two".split())
_BORDERS = patterns.compile(
    r"((?:(?<!\d)[,.:]|[,.:](?!\d)|[;!?\n])\s*|\s(?=(?:e|and|mas|but)\s))", patterns.IGNORECASE
)
_JOINT = patterns.compile(r"^(?:e|and|mas|but)\s+", patterns.IGNORECASE)
_PRICED = patterns.compile(r"\d|€|\b(?:preco|price|valor|euros?|negociave(?:l|is)|negotiable)\b")
_BESIDE = patterns.compile(
    r"\b(?:like|as|than|como|igual|que|with|com|after|depois)\s(?:(?:the|o|a|do|da|my|of|for)\s)*$"
)
"""The words before a name that is only compared, or goes along."""
_LED = frozenset(
    "about on for of in to sobre quanto ao a o os as no na do da de para pro pra the my meu minha its it is e and mas "
    "but also tambem please por favor ok agora now wait espera item artigo afinal actually instead then entao".split()
)
"""Words beside the name in a clause that only says which item the next clause is about."""

_AGREES = frozenset("sim yes yeah yep ok okay certo claro s y isso right correct exactly exato".split())
_NO_KINDS = frozenset("high para com sem auto all baby".split())
"""Words in the names of kinds that are not what such a thing is called."""

EarlierItem = Mapping[str, str]


def note_earlier(run: RunContext) -> None:
    """Remember the item that another one is sold beside: product, brand, reference, id and date of purchase."""
    kept = {name: str(run.state.get(name) or "") for name in ("product", "brand", "reference")}
    answers: Mapping[str, str] = run.state.get("answers") or {}
    kept["kind"] = str(run.private.get("kind") or "")
    kept["item_id"] = str(run.state.get("item_id") or "")
    kept["bought"] = next((shown for name, shown in answers.items() if name.endswith(".purchase_date")), "")
    _keep(run, [*run.private.get("earlier", ()), kept][-_MOST:])


def forget_earlier(run: RunContext, reference: str) -> None:
    """Take an item from those before, since it is the open one again."""
    _keep(run, [each for each in run.private.get("earlier", ()) if each["reference"] != reference])
    run.private.pop("of_earlier", None)


def _keep(run: RunContext, items: Sequence[EarlierItem]) -> None:
    """Keep the items before this one; the page and the model are told of them by name and reference."""
    run.private["earlier"] = [*items]
    told = [{"product": each["product"], "reference": each["reference"]} for each in items]
    run.set_state(earlier=told or None)


def words_of_this(run: RunContext, typed: str) -> str:
    """Return what a message says of the present item; what it asks of the price of an earlier one is noted apart."""
    current = f"{run.state.get('product') or ''} {run.state.get('brand') or ''} "
    current += " ".join(_kind_words(str(run.private.get("kind") or "")))
    rest, said, item = part_earlier(typed, run.private.get("earlier", ()), current)
    if item is None or any(part.get("type") == "answer" for part in run.input):
        return typed
    # A yes that names another item confirms nothing of this one.
    noted = {"is_all": _AGREES.issuperset(tokens(rest)), "has_price": _PRICED.search(fold(rest)) is not None}
    run.private["of_earlier"] = {"run": run.run_id, "said": said, **noted, **item}
    return rest


def bought_with_earlier(run: RunContext, text: str) -> str:
    """Return when an earlier item was bought, where a text says that this one was bought then too; else nothing.

    It is the item that the text names, else the newest with a date.
    """
    dated = [each for each in run.private.get("earlier", ()) if each.get("bought")]
    if not dated or len(text) > MOST_LETTERS or not _SAME_TIME.search(fold(text)):
        return ""
    said = {*tokens(text)}
    named = [each for each in dated if not said.isdisjoint(_words(each))]
    return str((named or dated)[-1]["bought"])


_SAME_TIME = patterns.compile(
    r"\bsame (?:time|date|day|month|year|age|as)\b|\b(?:bought|got) (?:them |both |it )*(?:both |together)|"
    r"\bas old as\b|\b(?:a|na|da) mesma (?:altura|data|idade|vez)\b|\b(?:o|no|do) mesmo (?:dia|mes|ano|tempo)\b|"
    r"\bao mesmo tempo\b|\bmesma (?:altura|data|idade)\b|\bigual (?:ao?|a da?|ao do) (?:outr[oa]|anterior)\b|"
    r"\b(?:compr\w+ )(?:os dois |as duas |tudo )?junt[oa]s?\b"
)


def of_earlier(run: RunContext) -> dict[str, Any] | None:
    """Return what this message asks of the price of an earlier item, with that item, and whether it says no more."""
    noted: dict[str, Any] | None = run.private.get("of_earlier")
    return noted if noted and noted["run"] == run.run_id else None


def part_earlier(
    text: str, earlier: Sequence[EarlierItem], current: str
) -> tuple[str, str, EarlierItem | None]:
    """Return a text without its clauses that speak of the price of an earlier item, these clauses, and that item.

    Only words that the name of the `current` item lacks name an earlier one. A clause that names both, compares, or
    has neither an amount nor a word of the price, stays.
    """
    if not earlier or len(text) > MOST_LETTERS:
        return text, "", None
    parts, now = _BORDERS.split(text), tokens(current)
    clauses, gone, item = parts[::2], set[int](), None
    for at, clause in enumerate(clauses):
        found = next((each for each in reversed(earlier) if _is_of(clause, _words(each), now)), None)
        if found is None:
            continue
        own, behind = _words(found), _next_telling(clauses, at)
        following = "".join(clauses[behind : behind + 1])
        if _is_priced(clause, own):
            gone, item = gone | {at}, found
        elif (
            {*tokens(clause)} <= {*own} | _LED
            and _is_priced(following, own)
            and not name_in(following, now, own)
        ):
            gone, item = gone | {*range(at, behind + 1)}, found
    said = " ".join(_JOINT.sub("", clauses[at]).strip() for at in sorted(gone))
    left = [
        each + "".join(parts[2 * at + 1 : 2 * at + 2]) for at, each in enumerate(clauses) if at not in gone
    ]
    return _JOINT.sub("", "".join(left).strip(" ,;:\n")) if gone else text, said, item


def _next_telling(clauses: Sequence[str], at: int) -> int:
    """Return the place of the first clause behind one that has more than words of order, as `afinal`."""
    return next(
        (each for each in range(at + 1, len(clauses)) if not _LED.issuperset(tokens(clauses[each]))), at
    )


def _words(item: EarlierItem) -> list[str]:
    """Return the words that name an item: of its product, its brand and what such things are called."""
    return [*tokens(f"{item['product']} {item['brand']}"), *_kind_words(item.get("kind", ""))]


def _kind_words(kind: str) -> list[str]:
    """Return the words of the name of a kind, in the plural and in the singular."""
    words = [each for each in tokens(kind) if len(each) > _SHORTEST and each not in _NO_KINDS]
    return [
        form for each in words for form in (each, *(each.removesuffix(end) + one for end, one in _SINGULAR))
    ]


_SINGULAR = (("s", ""), ("es", ""), ("eis", "il"), ("eis", "el"))


def _is_of(clause: str, own: Sequence[str], now: Sequence[str]) -> bool:
    """Return whether a clause names an earlier item and neither the current one nor a comparison."""
    name = name_in(clause, own, now)
    flat = fold(clause)
    return bool(name) and not name_in(clause, now, own) and not _BESIDE.search(flat[: flat.find(name)])


def name_in(clause: str, own: Sequence[str], other: Sequence[str]) -> str:
    """Return the word by which a clause names an item apart from another: one of its name, or its number behind one."""
    said = tokens(clause)
    for before, word in zip(["", *said], said, strict=False):
        is_number = word.isdigit() and before in own and before.isalpha()
        is_word = len(word) >= _SHORTEST and not word.isdigit() and word not in VARIANTS | _IDLE
        if word in own and word not in other and (is_word or is_number):
            return word
    return ""


def _is_priced(clause: str, own: Sequence[str]) -> bool:
    """Return whether a clause has an amount or a word of the price beside an item's name, whose figures are none."""
    words = [each for each in fold(clause).split() if not {*tokens(each)} <= {*own}]
    return _PRICED.search(" ".join(words)) is not None
