"""Other items that a seller named beside one: they are kept, and offered when that one is done."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from server import patterns
from server.languages import fold
from server.loopos.answers.clauses.faults import fault_clauses
from server.loopos.answers.clauses.item_facts import names_thing
from server.loopos.answers.words import tokens
from server.loopos.catalog.words import VARIANTS
from server.loopos.core import Core
from server.loopos.rows import Match
from server.loopos.tools.drafts.draft import Draft, divide_words
from server.text_reading.things.priced_things import priced_thing
from server.text_reading.things.things_kept_back import is_no_item, is_taken_back

_KEY, _WORDS = "later", "later_words"
MOST, LONGEST = 3, 60
"""So many things are kept, each of so many characters."""
_MOST_PARTS, _MOST_READ = 6, 500
"""So many parts of a message may name an item, of so many characters."""
_MOST_OF = 50
"""So many products may have the name of one of two items that a message joins."""
_ENDS = patterns.compile(r"[.!?;\n]+(?=\s|$)")
_JOINTS = patterns.compile(
    r"(?:,\s+|\s*[&;]\s*|\s\+\s*)(?:(?:e|and|also|tamb[eé]m)\s+)*|[.!?\n]+(?=\s|$)\s*|"
    r"\b(?:e|and|plus|mais|as well as)\b\s*",
    patterns.IGNORECASE,
)
"""The borders of what may name an item each: marks and words that join two things."""
_JOINED = patterns.compile(
    r"\s*(?:e|and|plus|mais|as well as)\s+(?:(?:an?|the|my|our|um|uma|[oa]s?|meu|minha|also|tambem)\s+)*"
)
"""What joins two names in a folded text; signs are blanks in it."""
BELONGS = frozenset(
    "caixa box carregador carregadores charger chargers cabo cabos cable cables capa capas case cases estojo bolsa "
    "pouch mala malas bag bags correia bracelete strap straps tripe tripod cartao card suporte stand dock base "
    "comando comandos controller controllers telecomando remote tabuleiro tray almofada cushion fatura recibo "
    "receipt invoice garantia warranty manual livro livros book books instrucoes instructions cadeado lock bomba pump "
    "capacete helmet luz luzes lights pelicula protector caneta pen pencil rato mouse acessorio acessorios accessory "
    "microsd sd cards cartoes "
    "accessories lente lentes objetiva objetivas lens lenses filtro filtros filter filters bateria baterias battery "
    "batteries cover covers adaptador adapter jogo jogos game games pecas parts cesto basket saco capsulas pods "
    "alcofa bassinet capota capotas hood canopy assento assentos seat punho grip teclado keyboard ecra screen "
    "roda rodas wheel wheels pneu pneus tyre tyres".split()
)
"""What comes with an item, or is a part of it: none of these is told to be no item of the catalog."""
_IDLE = frozenset(
    "perguntas pergunta question questions duvida thing things coisa coisas bit pouco half meio home house casa "
    "cat dog gato cao child filho filha owner dono box deus senhor god lord goodness".split()
)
_ONE_MORE = patterns.compile(
    r"\b(?:tamb[eé]m|tbm?|also|too|as well|both|amb[oa]s|(?:duas|two|tr[eê]s|three) (?:coisas|things|artigos|items))\b",
    patterns.IGNORECASE,
)
_NO_ITEMS = frozenset(
    "ano anos mes meses semana semanas dia dias hora horas year years month months week weeks day days hour hours "
    "minute friend amigo amiga husband marido wife mulher son daughter filhos kids kid pai mae mother father "
    "mom mum dad brother irmao irma sister colega colleague partner namorado namorada boyfriend girlfriend "
    "vizinho preco price deal offer oferta valor value desconto discount troca swap trade euro euros favor "
    "problema problem issue risco riscos marca marcas mossa mossas defeito defeitos scratch scratches mark marks dent "
    "dents crack fault chip address morada nome name email numero lot monte love amor uso wear desgaste rest".split()
)
"""Spans of time, people, marks and words of the deal, which are no items."""
_LOOKS = frozenset(
    "old used new velho velha velhos velhas usado usada usados usadas novo nova novos novas of de to sell for sale too "
    "also tambem vender para".split()
)
"""Words beside the name of a thing that is sold too."""
_JOINED_THING = patterns.compile(
    r"\b(?:e|and|plus|mais) (?:(?:also|tambem|and|e) )*"
    r"(?:uma?s?|uns|an?|some|my|our|(?:o meu|a minha|os meus|as minhas)) "
    r"(?P<thing>[^\W\d]\w*(?: (?!(?:e|and|plus|mais)\b)[^\W\d]\w*){0,3}?)(?=$| \d| (?:e|and|plus|mais)\b)"
)
"""A thing that folded text joins with an article, and nothing behind it but the next thing."""
_WISHED = "wished_later"
_ONE_MORE_SALE = patterns.compile(
    r"\b(?:sell(?:ing)?|list|vend(?:er|o)|anunciar)\s+(?:(?:also|too|tamb[eé]m|depois|a seguir|later)\s+)?"
    r"(?:an?|my|our|some|another|uma?|outr[oa]|[oa]s? (?:meus?|minhas?)|[oa] nosso|a nossa)\s+(?:old |velh[oa] )?"
    r"(?P<thing>[^\s,.;!?]+(?:\s(?!(?:after|afterwards|later|next|too|also|as|then|when|once|with|and|depois|quando|"
    r"tamb[eé]m|tbm?|a|e|com|aqui|here)\b)[^\s,.;!?]+){0,4})",
    patterns.IGNORECASE,
)
"""The wish to sell a thing: `I would also like to sell my Kindle afterwards`."""
_LATER = patterns.compile(
    r"\b(?:also|too|as well|afterwards|after (?:this|that)|later|next|tamb[eé]m|tbm?|depois|a seguir|mais tarde)\b",
    patterns.IGNORECASE,
)
"""What says that the thing is sold besides the present one."""
_SIZE = patterns.compile(r"\d+(?:x\d+){1,2}|\d+x")
_SET = patterns.compile(
    r"(?:(?:in )?(?:an? )?(?:set|pack|box|conjunto|jogo|caixa) (?:of|de) \d{1,3}|x ?\d{1,3})\b"
)
"""A size before the name of a thing, and how many there are of it behind the name, in folded text."""
_EURO = r"€?\s?\d{2,5}(?:\s?(?:€|euros?|eur|paus))?"
_PRICED = patterns.compile(
    r"(?:\b(?:for|por|at|a|@)\s*€?\s?[1-9]\d{1,4}(?![\w%])|[€£]\s?\d|\b\d{2,5}\s?(?:€|(?:euros?|eur|paus|quid|pounds)\b))",
    patterns.IGNORECASE,
)
"""An amount that is said as a price."""
_AMOUNTS = patterns.compile(
    r"(?:[\s,]+(?:(?:e|and|for|por)\s+)?[1-9]\d{2,4})+(?:\s(?:e|and))?$", patterns.IGNORECASE
)
"""Bare amounts behind a name."""
_OF_ALL = patterns.compile(
    rf"[\s,:;.–-]*\b(?:(?:for|por|at|a)\s+)?(?:{_EURO}(?:\s*[,/&]\s*|\s(?:e|and)\s){_EURO}|{_EURO},?\s(?:(?:for|pel[oa]s?|por)\s"
    r"(?:both|all|the (?:lot|two|pair)|d(?:ois|uas)|tudo|amb[oa]s|o conjunto)|together|juntos|juntas|tudo))"
    r"(?:,?\s(?:respectively|respe(?:c?)tivamente))?[\s.!]*$",
    patterns.IGNORECASE,
)
"""Amounts at the end of a message that are of several things: `150 and 300`, `500 for both`."""
_LONGEST_SPAN = 8
_LONGEST_THING = 5  # Words of a thing that is told not to be in the catalog.


@dataclass(frozen=True)
class Beside:
    """The items that a message names beside the one that is looked for."""

    kept: list[str] = field(default_factory=list)
    """Those that are offered when this one is done."""
    unknown: list[str] = field(default_factory=list)
    """Those that the catalog does not have, and that are no part or accessory."""

    def as_result(self) -> dict[str, list[str]]:
        """Return what a model reads of them."""
        return {"later": self.kept, **({"unknown": self.unknown} if self.unknown else {})}


async def items_in(draft: Draft, query: str) -> list[str]:
    """Return the items that the typed message joins and the catalog has, in words of the query; none if it is one."""
    typed, found, seen = draft.typed_text(), list[str](), set[int]()
    known = set(map(fold, query.split()))
    if len(typed) > _MOST_READ or draft.clicked_value("product") is not None:
        return []
    parts = [_words_of(each, known) for each in _JOINTS.split(typed)]
    named = [each for each in dict.fromkeys(parts) if each][: _MOST_PARTS + 1]
    for name in named if 1 < len(named) <= _MOST_PARTS else []:
        products = await _products_named(draft, name)
        if products and seen.isdisjoint(products):
            found.append(name)
        seen |= products
    return found if len(found) > 1 else await _of_different_kinds(draft, named)


async def _of_different_kinds(draft: Draft, names: Sequence[str]) -> list[str]:
    """Return two names that each mean a brand's line, a model or a kind of product, with no product in common:
    `bimby e carrinho`. An accessory is none.
    """
    if len(names) != 2 or not _are_joined(draft.typed_text(), *names):  # noqa: PLR2004 - two things
        return []
    meant = [await _products_of(draft, each) for each in names]
    is_pair = all(meant) and meant[0].isdisjoint(meant[1])
    return list(names) if is_pair else []


def _are_joined(typed: str, first: str, second: str) -> bool:
    """Return whether a text joins two names by `and`: `a bimby e o carrinho`, not `a bimby fica, vendo o carrinho`."""
    behind = fold(typed).partition(fold(first))[2]
    return _JOINED.sub("", behind, count=1).startswith(fold(second)) and bool(_JOINED.match(behind))


async def _products_of(draft: Draft, name: str) -> set[int]:
    """Return the products that all the words of a name are of; none of an accessory, or where they are too many."""
    core, said = draft.run.resource(Core), set(tokens(name))
    if not said.isdisjoint(BELONGS | _IDLE) or said <= VARIANTS or not any(map(str.isalpha, said)):
        return set()
    found, is_kind = (
        await core.search(name, limit=_MOST_OF, language=draft.language),
        await core.category_key(name),
    )
    return {
        each.product_id
        for each in found.matches
        if found.total <= _MOST_OF
        and (is_kind or each.exact or said <= set(tokens(f"{each.brand} {each.name}")))
    }


def _words_of(part: str, known: set[str]) -> str:
    """Return the words of a part of a message which the query has too."""
    words = (each.strip("()[].,:!?;'\"") for each in part.split())
    return " ".join(each for each in words if fold(each) in known)


async def _products_named(draft: Draft, name: str) -> set[int]:
    """Return the products that a name means surely: by their whole name, or by words and a number of it."""
    found = await draft.run.resource(Core).search(name, limit=6, language=draft.language)
    exact = {each.product_id for each in found.matches if each.exact}
    return exact or {each.product_id for each in found.matches if _is_part_of_name(name, each)}


def _is_part_of_name(name: str, match: Match) -> bool:
    """Return whether the words are of a product's name, with more than its brand and than what many names have."""
    said, own = set(tokens(name)), set(tokens(match.name)) - VARIANTS - set(tokens(match.brand))
    whole = set(tokens(f"{match.brand} {match.name}"))
    return said <= whole and len(said) > 1 and any(each.isalpha() for each in said & own)


async def keep_wished_later(draft: Draft) -> None:
    """Keep the item that a typed message wishes to sell when this one is done, where the catalog has it, once a turn:
    `I would also like to sell my Kindle afterwards, is that possible?`. These words are not of the present item.
    """
    drop_taken_back(draft)
    run, typed = draft.run, draft.typed_text()
    if run.private.get(_WISHED) == run.run_id or any(part.get("type") == "answer" for part in run.input):
        return
    run.private[_WISHED] = run.run_id
    if len(typed) <= _MOST_READ and (name := _wished_later(typed)):
        await keep_for_later(draft, [name])


def _wished_later(message: str) -> str:
    """Return the thing that a message wishes to sell besides the present one, or has with a price of its own."""
    found = next(
        (each for each in _ONE_MORE_SALE.finditer(message) if _LATER.search(_sentence_of(message, each))),
        None,
    )
    name = found["thing"].strip() if found else priced_thing(message)
    return name if tokens(name) and BELONGS.isdisjoint(tokens(name)) else ""


def _sentence_of(message: str, found: patterns.Match[str]) -> str:
    """Return the sentence of a message that has these words."""
    start = max((each.end() for each in _ENDS.finditer(message, 0, found.start())), default=0)
    end = _ENDS.search(message, found.start())
    return message[start : end.start() if end else len(message)]


async def keep_for_later(draft: Draft, names: Sequence[str]) -> Beside:
    """Keep what the seller named in their own words and the catalog has, with what they told of it."""
    drop_taken_back(draft)
    typed, kept, beside = draft.typed_text(), draft.run.private.setdefault(_KEY, {}), Beside()
    said, others = set(tokens(typed)), list[str]()
    for name in (" ".join(each.split()) for each in names[:MOST]):
        words = set(tokens(name))
        is_name = any(map(str.isalpha, name)) and len(name) <= LONGEST and not is_no_item(typed, name)
        if not is_name or not words <= said or len(kept) >= MOST:
            continue
        plain = _AMOUNTS.sub("", name)
        sold = [each for each in (name, plain) if await is_sold_here(draft, each)][:1]
        for each in sold:
            kept.setdefault(each, draft.round)
            beside.kept.append(each)
        is_priced = _has_own_price(typed, words) and not fault_clauses(plain)
        if not sold and (is_priced or (is_thing(plain) and _is_told_as_item(typed, words))):
            beside.unknown.append(_with_size(typed, plain))
            sold = [plain]
        others += sold
    if others:
        _part_words(draft, others, beside.kept)
    return beside


def _with_size(text: str, name: str) -> str:
    """Return a name as it is written in a text, with its size or count beside it: `4x4 rubik`, `glasses set of 6`."""
    words = [each.strip("()[].,:;!?'\"") for each in text.split()]
    said, named = [fold(each) for each in words], [fold(each) for each in name.split()]
    starts = (at for at, each in enumerate(said) if each == named[0])
    spans = (
        (at, said.index(named[-1], at) + 1) for at in starts if named[-1] in said[at : at + _LONGEST_SPAN]
    )
    start, end = next(spans, (0, 0))
    if not end:
        return name
    if start and _SIZE.fullmatch(said[start - 1]):
        start -= 1
    counted = _SET.match(" ".join(said[end:]))
    end += len(counted[0].split()) if counted else 0
    return " ".join(words[start:end])


def is_thing(name: str) -> bool:
    """Return whether words name a thing that is neither a part nor an accessory of another, and no fault."""
    said = set(tokens(name))
    is_short = len(name.split()) <= _LONGEST_THING and any(len(each) > 2 for each in said)  # noqa: PLR2004
    return is_short and said.isdisjoint(BELONGS | _IDLE | _NO_ITEMS) and not fault_clauses(name)


def _is_told_as_item(message: str, name: set[str]) -> bool:
    """Return whether a message speaks of one more item, or writes the name as makers do: with a number or a capital."""
    written = (each for each in message.split()[1:] if name.intersection(tokens(each)))
    is_written = any(each != each.lower() or each[-1].isdigit() for each in written)
    return _ONE_MORE.search(message) is not None or is_written or _is_joined_as_item(message, name)


def _is_joined_as_item(message: str, name: set[str]) -> bool:
    """Return whether a message joins the thing with an article and says no more of it: `and a car`."""
    said = fold(message.replace(",", " and "))
    joined = ({*tokens(each["thing"])} - _LOOKS for each in _JOINED_THING.finditer(said))
    return not any(map(names_thing, name)) and any(words and words <= name for words in joined)


def _has_own_price(message: str, name: set[str]) -> bool:
    """Return whether a message says a price of the thing of this name, and one before it."""
    before, own, _ = _around(message, name)
    return _PRICED.search(own) is not None and _PRICED.search(before) is not None


def _part_words(draft: Draft, names: Sequence[str], kept: Sequence[str]) -> None:
    """Take what the message tells of these items from what is read of the item that is looked for now.

    It waits with those that are `kept`. Amounts of which none says whose it is are of no item.
    """
    words: dict[str, str] = draft.run.private.setdefault(_WORDS, {})
    left = _OF_ALL.sub("", draft.typed_text())
    for name in reversed(names):
        before, own, behind = _around(left, set(tokens(name)))
        if own and before.strip():
            words |= {name: own.strip()} if name in kept else {}
            left = f"{before.rstrip(' ,;&+')}{behind if tokens(behind) else '.'}"
    heard: list[list[str]] = draft.run.private.get("heard", [])
    draft.run.private["heard"] = [
        [each[0], divide_words(draft, left) if each[0] == draft.run.run_id else each[1]] for each in heard
    ]


def _around(text: str, name: set[str]) -> tuple[str, str, str]:
    """Return what stands before the part of a text that has this name, that part to the end of its sentence, and
    what stands behind it.
    """
    borders = [(each.start(), each.end()) for each in _JOINTS.finditer(text)]
    for (start, begin), end in zip(borders, [*(each[0] for each in borders[1:]), len(text)], strict=False):
        if name <= set(tokens(text[begin:end])):
            closed = _ENDS.search(text, begin)
            last = closed.start() if closed else len(text)
            return text[:start], text[begin:last], text[last:]
    return text, "", ""


async def is_sold_here(draft: Draft, name: str) -> bool:
    """Return whether the catalog has the item by its name, another name of it such as `ps4`, or its kind.

    A text that only resembles a name, as a charger does, is no item.
    """
    core = draft.run.resource(Core)
    found = await core.search(name, limit=6, language=draft.language)
    said = set(tokens(name))
    if found.matches and await core.category_key(name):
        return True
    return any(
        each.exact or said <= set(tokens(f"{each.brand} {each.name} {each.category}"))
        for each in found.matches
    )


def drop_taken_back(draft: Draft) -> None:
    """Drop the items of which a typed message says that they are not for sale after all, or belong to this one."""
    run, typed = draft.run, draft.typed_text()
    if any(part.get("type") == "answer" for part in run.input) or len(typed) > _MOST_READ:
        return
    for name in left_for_later(draft):
        if is_taken_back(typed, name):
            del run.private[_KEY][name]
            run.private.get(_WORDS, {}).pop(name, None)


def left_for_later(draft: Draft) -> list[str]:
    """Return the items that are still to be sold, in the order in which the seller named them."""
    return list(draft.run.private.get(_KEY, {}))


def keep_unsold(draft: Draft) -> None:
    """Keep the confirmed product that has no item yet for later, since the seller goes to another item."""
    if draft.product_id is not None:
        keep_item(
            draft, f"{draft.run.state['brand']} {draft.run.state['product']}", *draft.earlier_messages()
        )


def keep_item(draft: Draft, name: str, *told: str) -> None:
    """Keep an item for later, with the messages that told of it, the newest first."""
    draft.run.private.setdefault(_KEY, {})[name] = draft.round
    if told:
        draft.run.private.setdefault(_WORDS, {})[name] = ". ".join(reversed(told))


async def begin_later(draft: Draft, product_id: int, product: str) -> None:
    """Drop what the seller names now that another item is begun, by its words, by those that were looked for or by
    another name of this product, and hear what they told of it before.
    """
    kept: dict[str, int] = draft.run.private.get(_KEY, {})
    searched = {*tokens(draft.run.private.get("searched", ""))}
    said = {word for message in (product, *draft.messages()) for word in tokens(message)}
    for name, named_in in [*kept.items()]:
        is_named = named_in < draft.round and said.issuperset(tokens(name))
        if is_named or searched == {*tokens(name)} or await _means_only(draft, name, product_id):
            del kept[name]
            told = draft.run.private.get(_WORDS, {}).pop(name, "")
            draft.run.private["heard"][-1:-1] = [[f"{draft.run.run_id}:before", told]]


async def _means_only(draft: Draft, name: str, product_id: int) -> bool:
    """Return whether this is the only product that the catalog has by a name."""
    found = await draft.run.resource(Core).search(name, limit=6, language=draft.language)
    meant = [each for each in found.matches if each.exact] or found.matches
    return {each.product_id for each in meant} == {product_id}
