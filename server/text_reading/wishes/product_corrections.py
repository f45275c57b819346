"""The correction of the product that a draft has: the words of the right one, where a message names it in its place."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from server import patterns
from server.languages import fold
from server.remembered_texts import remember_short

_LONGEST = 200  # Characters of a message that are read.
_MOST_WORDS = 6  # Of the name of a product.
_SHORTEST = 3  # Letters of a word that alone stands for a name.
_ART = r"(?:(?:the|an?|my|our|one of the|os?|as?|um|uma|meu|minha)\s+)*+"
_LEAD = (
    r"\s*(?:(?:oh|ah|ai|hm+|ok|okay|t[aá]|ya+|yea+h?|e|and|but|mas|no|n[aã]o(?!\s+(?:é|e|era|os?|as?|um|uma)\b)|nope|yes|sim|"
    r"i meant?(?=[\s,]+(?:it|that|this|the)\b)|(?:queria|quis|quero) dizer(?=[\s,]+(?:n[aã]o|que)\b)|"
    r"sorry|desculp[ae]|oops|ups|wait|espere?|espera|hang on|hold on|"
    r"afinal|actually|ali[aá]s|i think|acho que|na verdade|na realidade|my mistake|my bad)\b[\s,.;:!…–—-]*+)*+"
)
_SLIP = r"(?:(?:eu )?(?:enganei|equivoquei)[- ]me\b[\s,.;:!…–—-]*+)?"
_IS = (
    r"(?:(?:it|this|that|mine)(?:['’]?s| is| was)|its|(?:o meu |a minha |isto |isso )?(?:é|e|era)|tenho|i have|"
    r"i(?:['’]ve)? got|i meant?|(?:queria|quis|quero) dizer|should be|devia ser)\s+"
    r"(?:(?:actually|really|afinal|just|only|s[oó]|mesmo)\s+)*+"
)
_NOT = (
    r"(?:(?:and|e|mas|but)\s+)?(?:n[aã]o|not|nem|instead of|rather than|em vez d[eoa])\s+"
    r"(?:(?:é|e|era|it['’]?s|the|an?|o|a|um|uma)\s+)*+"
)
_NAME = r"[^\s,;:!?][^,;:!?\n]{0,50}?"
_END = r"\s*(?:(?:,|;|!|\.(?=\s|$))(?P<rest>.*))?$"
_CHANGE = (
    r"(?:(?:quero|queria|preciso de|pod(?:e|es|emos|ia)|d[aá] para|(?:i )?(?:want|need|'?d like) to|can (?:you|we|i)|"
    r"could you|please|por favor)\s+)*+(?:mudar|muda|mude|trocar|troca|troque|alterar|altera|altere|corrigir|corrija|"
    r"change|switch|correct)\s+(?:it\s+|that\s+|(?:o|a|the|my)\s+(?P<{kind}>\w+)\s+)?(?:para|to|por|for)\s+"
)
_WRONG = (
    r"(?:(?:i (?:\w+ ){0,2})?(?:the )?wrong (?P<kind>\w+)"
    r"|(?:eu )?(?:enganei|equivoquei)[- ]me(?: n[oa]s? (?P<kind_of>\w+))?"
    r"|(?:(?:o|a) )?(?P<kind_is>\w+) (?:(?:est[aá]|é) )?errad[oa])[\s,.;:!…–—-]+"
    r"(?:(?:e|and|mas|but|sorry|desculpe)\s+)*"
)


def _compile(*parts: str) -> patterns.Pattern:
    return patterns.compile("".join(parts), patterns.IGNORECASE | patterns.DOTALL)


_CONTRASTS = (
    _compile(
        _LEAD, _SLIP, rf"(?:{_IS})?", _ART,
        rf"(?P<right>{_NAME})[\s,;.–—-]+", _NOT, rf"(?P<denied>{_NAME})", _END,
    ),
    _compile(
        _LEAD, _SLIP,
        r"(?:(?:it|this|that)(?:['’]?s| is| was)\s+|its\s+)?(?:not|n[aã]o (?:é|e|era)|(?:it )?(?:isn|wasn)['’]?t)\s+",
        _ART,
        rf"(?P<denied>{_NAME})(?:\s*[,;.–—-]+\s*|\s+(?={_IS}|mas |but ))",
        r"(?:(?:but|mas|and|e|sorry|afinal|actually)\s+)*",
        rf"(?:{_IS})?",
        _ART,
        rf"(?P<right>{_NAME})",
        _END,
    ),
)  # fmt: skip
"""What it is and what it is not: `it's the 12, not the 12 pro`, `não é a V11, é a V10`."""
_REPLACED = (
    _compile(
        _LEAD, _WRONG, rf"(?:{_IS}|{_CHANGE.format(kind='other')})?", _ART, rf"(?P<right>{_NAME})", _END
    ),
    _compile(_LEAD, _CHANGE.format(kind="kind"), _ART, rf"(?P<right>{_NAME})", _END),
)
"""What it is in the place of the wrong one: `wrong phone, it's an iPhone 11`, `quero mudar para a ps4`."""
_CORRECTED = _compile(
    r"(?=.{0,40}\b(?:sorry|desculp[ae]|afinal|actually|ali[aá]s|na verdade|na realidade|oops|ups|my mistake|wait|"
    r"esper[ae]|oh|ah|my bad|i meant?|qu[ei][a-z]+ dizer)\b)",
    _LEAD, _IS, _ART, rf"(?P<right>{_NAME})", _END,
)  # fmt: skip
"""What it is after all: `sorry, it's the iPhone 12`."""
_COMPARED = (
    r"(?:(?:other|smaller|bigger|larger|older|newer|cheaper|lighter|outr[oa]|maior|menor|mais \w{4,12}|little|small|"
    r"big)(?:\s+(?:one|model|modelo))?)"
)
_BEFORE_NAME = _compile(
    rf"(?P<is>\b{_IS}){_ART}{_COMPARED}\s*[,;:–—-]\s*(?=(?:the|an?|os?|as?|um|uma)\s+(?!{_COMPARED}\b))"
)
"""What leads to a name: `it's the smaller one, the Butterfly`."""
_NAMELESS = _compile(
    rf"{_ART}(?:{_COMPARED}|(?:it|this|that|mine)(?:['’]?s| is| was)?|its|isto|isso|[eé]|era|ess[ea]|est[ea])"
)
_HEDGED = patterns.compile(
    r"[\s,]+(?:i (?:think|believe|guess|suppose)|(?:acho|penso|creio|julgo)(?: eu)?|maybe|probably|se calhar)[\s.!]*$",
    patterns.IGNORECASE,
)
_UNNAMED = _compile(
    r"(?=.*\b(?:other|outr[oa])\b)(?=.{0,30}\b(?:no|nope|n[aã]o|sorry|desculp[ae]|oops|ups|wait|espera|afinal|actually|enganei|wrong)\b)",
    _LEAD, rf"(?:{_IS})?", r"(?:the|o|a)\s+", rf"{_COMPARED}(?:[\s,]+(?:(?:the|o|a)\s+)?{_COMPARED})*[\s.!]*$",
)  # fmt: skip
"""Another product that is not named: `sorry no, it's the other one, the smaller`."""
_BESIDES = patterns.compile(
    r"\b(?:also|too|as well|another|second|tamb[eé]m|tb|tbm|outr[oa]|ainda|mais uma?)\b", patterns.IGNORECASE
)
_WORDS = patterns.compile(r"[^\W_]+")
_GRADES = frozenset(
    "pro max mini plus lite ultra slim mark ii iii iv se air oled fe xl absolute detect digital neo".split()
)
_PLAIN = frozenset(
    "normal normais standard simples regular plain base basic original one ones version versao modelo model".split()
)
_BEFORE_WITH = patterns.compile(r"\s+(?=(?:com|with|sem|without)\s)", patterns.IGNORECASE)
"""The place before what a name is said with, as in `the PS5 Slim with the disc drive`, which tells a value."""
_SMALL = frozenset("o a os as um uma the an my it its is are e sao de da do of and one ones".split())
_FACTS = frozenset(
    "cor colour color bateria battery estado condition preco price valor storage memoria armazenamento capacidade size "
    "tamanho data date ano year mes month caixa box resposta answer button botao conta account number numero "
    "edicao edition conjunto kit grupo ecra screen processador processor ram teclado keyboard".split()
)
"""Words for what is no product: of them something else is wrong."""
_AFTER_ARTICLE = patterns.compile(r"\b(?:the|o|a)\s+$", patterns.IGNORECASE)
_MEASURED = patterns.compile(
    r"\d+(?:[.,]\d+)?\s?(?:gb|tb|gigas?|€|eur\w*|%|euros?|anos?|years?|meses|months?|km|kms|cm|mm|kg|w|mah|h)(?!\w)",
    patterns.IGNORECASE,
)


@dataclass(frozen=True)
class ProductCorrection:
    """The right product of a message that corrects the product."""

    query: str
    """The words that name it, completed by those of the wrong one where they are only a variant or a number."""
    rest: str
    """What the message tells behind that."""


def product_correction(text: str, draft: Mapping[str, Any]) -> ProductCorrection | None:
    """Return the product that a message puts in the place of the draft's, or None where it says something else.

    Of the draft `product`, `brand` and `options` are read.
    """
    if not draft.get("product"):
        return None
    values = " ".join(map(str, (draft.get("options") or {}).values()))
    if not values and not draft.get("reference") and len(text) <= _LONGEST and _UNNAMED.fullmatch(text):
        own = [each for each in str(draft["product"]).split() if each.isalpha() and fold(each) not in _GRADES]
        is_whole = own == str(draft["product"]).split()
        return ProductCorrection(str(draft.get("brand") or "") if is_whole else " ".join(own), "")
    return _read(_BEFORE_NAME.sub(r"\g<is>", text), f"{draft.get('brand') or ''} {draft['product']}", values)


@remember_short(_LONGEST, 256)
def _read(text: str, product: str, values: str) -> ProductCorrection | None:
    if len(text) > _LONGEST or _BESIDES.search(text) or "?" in text:
        return None
    known, taken = _Name.of(product), frozenset(fold(values).split())
    found = [(each.fullmatch(text), "contrast") for each in _CONTRASTS]
    wrong, changed = (each.fullmatch(text) for each in _REPLACED)
    found += [(wrong, "replaced" if wrong and _kinds(wrong) else "slip"), (changed, "replaced")]
    found += [(_CORRECTED.fullmatch(text), "corrected")]
    for match, form in found:
        if match is None or not _FACTS.isdisjoint(map(fold, filter(None, _kinds(match)))):
            continue
        right, *beside = _BEFORE_WITH.split(_HEDGED.sub("", match["right"]).strip(" .-–—"), maxsplit=1)
        if _MEASURED.search(right) or _NAMELESS.fullmatch(right) or len(right.split()) > _MOST_WORDS:
            continue
        if any(word.startswith(fold(kind)) for kind in _kinds(match) for word in fold(right).split()):
            continue  # `The pad to 2 pads` counts what belongs to the item.
        said = _Name.of(right)
        denied = _Name.of(match["denied"]) if form == "contrast" else None
        is_sure = form == "replaced" or (form == "slip" and said.is_model)
        is_numbered = denied is None and _AFTER_ARTICLE.search(text[: match.start("right")]) is not None
        if _replaces(said, denied, known, taken, is_sure=is_sure) or (
            is_numbered and _is_other_number(said, known, taken)
        ):
            rest = ", ".join(filter(None, (*beside, (match["rest"] or "").strip())))
            return ProductCorrection(_full_name(right, said, product), rest)
    return None


def _kinds(match: patterns.Match[str]) -> list[str]:
    return [str(value) for name, value in match.groupdict().items() if name.startswith("kind") and value]


@dataclass(frozen=True)
class _Name:
    """The words of a name: all of them, its numbers with and without letters, and its variants."""

    words: frozenset[str]
    numbers: frozenset[str]

    @classmethod
    def of(cls, text: str) -> "_Name":
        words = frozenset(map(fold, _WORDS.findall(text))) - _SMALL
        digits = ("".join(filter(str.isdigit, each)) for each in words)
        return cls(words, frozenset(filter(None, digits)))

    @property
    def grades(self) -> frozenset[str]:
        return self.words & _GRADES

    @property
    def is_model(self) -> bool:
        """Return whether a word joins letters and figures, as in `ps5`, or is that of a variant."""
        return bool(self.grades) or any(not each.isalpha() and not each.isdecimal() for each in self.words)

    @property
    def only_varies(self) -> bool:
        """Return whether all words are a number and a variant of a family that is not named: `12 pro`, `slim`."""
        return bool(self.grades) and all(each in _GRADES or each.isdecimal() for each in self.words)

    @property
    def names(self) -> frozenset[str]:
        """Return the words that name a family or a brand."""
        letters = {each.strip("0123456789") for each in self.words} - _GRADES - _PLAIN
        return frozenset(each for each in letters if each.isalpha())


def _replaces(
    said: _Name, denied: _Name | None, known: _Name, taken: Collection[str], *, is_sure: bool
) -> bool:
    """Return whether words name another product than the known one."""
    is_same = said.numbers == known.numbers and said.grades == known.grades
    new_names = {each for each in said.names - known.names if each not in taken}
    marks = (said.numbers - known.numbers) | (said.grades - known.grades)
    strange = {each for each in marks if each not in taken}
    if denied is None:
        is_variant = said.only_varies and bool(said.grades & strange) and said.numbers <= known.numbers
        is_model = bool(said.names) and (bool(said.numbers) or bool(said.grades & strange))
        is_model, is_near = is_model or is_variant, is_variant or bool(said.names & known.names)
        return is_model and not is_same and (is_sure or is_near)
    is_known = all(_is_of(each, known) for each in denied.words) and bool(denied.words)
    lost = (denied.numbers - said.numbers) | (denied.grades - said.grades)
    renamed = any(len(each) >= _SHORTEST and each in known.names for each in denied.names - said.names)
    return is_known and bool(strange or lost or (renamed and new_names)) and not said.words <= set(taken)


def _is_other_number(said: _Name, known: _Name, taken: Collection[str]) -> bool:
    """Return whether words are a number alone, of another model of the family: `o 13` of an iPhone 12."""
    lengths = {len(each) for each in known.numbers}
    return len(said.words) == 1 and all(
        each in said.numbers and len(each) in lengths and each not in {*known.numbers, *taken}
        for each in said.words
    )


def _is_of(word: str, known: _Name) -> bool:
    """Return whether a word is of the known name, by its number too, or says that it is the plain model."""
    digits = "".join(filter(str.isdigit, word))
    return word in known.words or word in _PLAIN or word in known.names or digits in known.numbers


def _full_name(right: str, said: _Name, product: str) -> str:
    """Return the words of the right product, behind the family of the wrong one where they name none."""
    words = [each for each in right.split() if fold(each) not in _PLAIN]
    if said.names:
        return " ".join(words)
    own = [each for each in product.split() if fold(each) not in _GRADES]
    if said.numbers:
        own = [each for each in own if not any(map(str.isdigit, each))]
    return " ".join([*own, *words])
