"""Other ways to say the label of an option, in both languages; a whole answer has to be one of them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from server.loopos.answers.element import Element, ElementOption, Text
from server.loopos.answers.words import fold

_PHRASES = {
    "s": "small|pequeno|pequena|tamanho pequeno|small size|small frame|quadro pequeno",
    "m": "medium|medio|media|tamanho medio|medium size|medium frame|quadro medio",
    "l": "large|grande|tamanho grande|large size|large frame|quadro grande",
    "excellent": "como novo|como nova|parece novo|parece nova|impecavel|perfeito|perfeita|estado novo|"
    "novo|nova|"
    "5 estrelas|cinco estrelas|optimo|otimo|otima|muito bom estado parece novo|like new|as new|mint|"
    "mint condition|perfect|flawless|pristine|immaculate|brand new|looks new|new|10/10",
    "good": "bom estado|boa|bons|boas|muito bom|muito boa|bem conservado|bem estimado|bem tratado|estimado|usado "
    "mas estimado|"
    "usado mas bom|com marcas de uso|marcas de uso|com marcas leves|marcas ligeiras|pequenas marcas|"
    "riscos leves|"
    "risquitos|uns risquitos|alguns riscos leves|pequenos riscos|pretty good|very good|quite good|good "
    "shape|well kept|"
    "well cared for|light scratches|minor scratches|light wear|light marks|some light scratches|used but "
    "well kept",
    "fair": "mais ou menos|assim assim|mediano|com marcas visiveis|so so|just ok|average|noticeable "
    "marks|some wear",
    "poor": "ma|pessimo|muito mau|muito ma|todo partido|toda partida|partido|partida|um caco|estragado|"
    "estragada|muito estragado|"
    "bastante gasto|muito gasta|bad|very bad|terrible|awful|completely broken|broken|all broken|worn out|"
    "beat up|very worn|trashed",
    "yes it is free": "desbloqueado|desbloqueada|unlocked|livre de contas|free of accounts",
    "no it is locked": "trancado|bloqueada|locked|locked to an account|bloqueado por uma conta",
    "no but i can remove the account": "but i can log out|mas tiro ja|"
    "posso tirar a conta|posso remover a conta|posso retirar|consigo "
    "tirar a conta|"
    "consigo remover a conta|consigo retirar a conta|bloqueado mas posso tirar|can remove|can remove it|"
    "can sign out|"
    "can take it off|can remove account|locked but i can remove it|mas posso tirar|but i can remove it|"
    "mas consigo tirar",
    "yes everything works": "funciona bem|funciona tudo|funciona perfeitamente|funciona perfeito|"
    "trabalha bem|liga e funciona|"
    "liga e funciona bem|works perfectly|works fine|works well|works great|all works|all good|everything "
    "works fine|"
    "starts and works|tudo ok|tudo bem|tudo a funcionar|tudo impecavel",
    "it works with faults": "funciona com alguns defeitos|tem defeitos|com alguns defeitos|has faults|"
    "some faults|has some faults",
    "it does not work": "avariado|avariada|morto|morta|dead|broken|nao liga|not working|doesnt turn on|"
    "wont turn on",
    "portuguese": "pt|portugal|portugues de portugal",
    "english uk": "uk|british|uk english|ingles uk|ingles britanico|reino unido|ingles do reino unido",
    "english us": "us|usa|eua|american|us english|ingles us|ingles americano|americano",
    "another": "outro|other",
    "no it was in an accident": "esteve num acidente|teve um acidente|was in a crash|was in an accident|"
    "accident|acidente",
    "no the frame is broken": "estrutura partida|partida|broken frame|broken",
    "it leaks a few drops": "umas gotas|umas gotinhas|gotas|pinga|pinga um pouco|a few drops|drips|drips "
    "a little",
    "no it leaks a lot": "muita|muita agua|perde muita|a lot|leaks a lot",
    "no it is banned": "banida|foi banida|banned|it got banned|was banned",
    "yes it is genuine": "original|verdadeiro|verdadeira|autentico|autentica|authentic|real|genuino",
    "no it is a copy": "falso|falsa|imitacao|replica|copia|fake|copy|contrafeito|contrafacao",
    "dust only": "po|um pouco de po|dust|a bit of dust",
    "scratches or stains": "riscos|manchas|scratches|stains|arranhoes|arranhou|arranhado|arranhada|riscou|riscado|"
    "riscada|manchou|manchado|manchada|risquitos|risquinhos|marcas|marks|nodoas",
    "stained": "manchinha|manchinhas|manchado|manchados|mancha|nodoa|nodoas|stain|stains",
    "scratches": "riscos|arranhoes|risquitos|risquinhos",
    "only scratches": "riscos|arranhoes|risquitos|risquinhos|scratches",
    "scratched": "riscada|riscos|com riscos|scratches|some scratches|arranhoes|risquito|risquinho|risquitos|risquinhos",
    "no marks": "limpo|impecavel|clean|perfect|perfeito|flawless",
    "with signs of use": "riscos|risquinhos|risquitos|arranhoes|marcas|marcas de uso|marquinhas|scratches|"
    "marks|some wear",
    "intact": "inteiro|impecavel|como novo|good as new",
    "black midnight": "preto|preta|black|meia noite|midnight",
    "red": "encarnado|encarnada",
    "silver": "prata|cor de prata",
    "gold": "ouro|cor de ouro",
    "grey": "cinza",
    "space grey": "cinza sideral|cinza espacial|cinzento espacial|space gray",
    "pink": "cor de rosa|cor-de-rosa|rosinha",
    "orange": "cor de laranja",
    "wi fi": "wifi|so wifi|just wifi|wifi only",
    "wi fi cellular": "wifi e rede movel|wifi com rede movel|wifi and cellular|wifi cellular|cellular|"
    "celular|com rede movel|rede movel|with cellular|lte|4g|5g",
    "gps cellular": "cellular|com rede movel|rede movel|with cellular",
    "with disc drive": "com leitor|com disco|com leitor de disco|disc|with disc|disc version|disc edition",
}
"""By the folded English label of the option."""
_SPELT = {
    number: tuple(words.split())
    for number, words in (
        ("2", "two dois duas"),
        ("3", "three tres"),
        ("4", "four quatro"),
        ("6", "six seis"),
        ("8", "eight oito"),
    )
}
_COUNTED = {
    "seats": ("seats", "seat", "seater", "seaters", "lugares", "lug", "pessoas", "people"),
    "drawers": ("drawers", "drawer", "gavetas"),
}
"""What a label counts, by its folded English words, to the other words for it: `two seater` is `2 seats`."""


def phrases(element: Element, option: ElementOption) -> tuple[str, ...]:
    """Return the labels of an option, what its question's hint says of it, and the other ways to say it."""
    return _phrases(element.hint, option.label)


@lru_cache(maxsize=2_048)
def _phrases(hint: Text | None, label: Text) -> tuple[str, ...]:
    glosses = [*_glosses(label.pt, hint.pt), *_glosses(label.en, hint.en)] if hint is not None else []
    return label.pt, label.en, *glosses, *other_words(label.en)


def other_words(label: str) -> Iterator[str]:
    """Return other ways to say a label, found by its English words."""
    yield from filter(None, _PHRASES.get(key := label_key(label), "").split("|"))
    number, _, thing = key.partition(" ")
    if number in _SPELT and thing in _COUNTED:
        yield from (f"{one} {name}" for one in (number, *_SPELT[number]) for name in _COUNTED[thing])


def label_key(label: str) -> str:
    """Return the folded words of an English label, by which the tables name an option."""
    return " ".join("".join(c if c.isalnum() else " " for c in fold(label)).split())


def _glosses(label: str, hint: str) -> Iterator[str]:
    """Return what a hint says behind the label: `Good: light marks.`"""
    for sentence in hint.split("."):
        name, colon, gloss = sentence.partition(":")
        if colon and fold(name.strip()) == fold(label):
            yield gloss.strip()
            yield from gloss.replace(" ou ", "|").replace(" or ", "|").split("|")
