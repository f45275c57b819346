"""Words that people write of a thing they sell: without one of them a free text is asked back before it is stored."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from server import patterns
from server.loopos.answers.certainty import HEDGES, NEGATIONS, NODS, PRAISE, content, is_like
from server.loopos.answers.clauses.asides import own_words
from server.loopos.answers.clauses.faults import denies_faults, tells_fault
from server.loopos.answers.clauses.item_facts import is_term, names_thing, tells_mark
from server.loopos.answers.element import Element
from server.loopos.answers.words import MOST_LETTERS, fold, is_number, tokens

_OF_A_THING = frozenset(
    # How it was used and kept, and how it is.
    "usado usada uso usei usamos usou usava usavamos utilizado utilizei utilizacao novo nova seminovo velho antigo "
    "estado condicao condicoes conservado estimado estimada cuidado tratado limpo limpa lavado higienizado "
    "desinfetado impecavel funciona funcionam funcional funcionar trabalha original originais completo incompleto "
    "gasto danificado estragado riscado partido avariado amolgado manchado mancha desgaste arranhao queda caiu "
    "defeito problema problemas estetica estetico aspeto aparencia guardado guardada guardei armazenado parado "
    "montado desmontado montar desmontar selado lacrado protegido descalcificado calibrado afinado "
    "used worn new newish old condition conditions state kept cared maintained clean cleaned washed sanitised "
    "sanitized spotless mint immaculate pristine works working worked functional functioning functions complete "
    "incomplete faulty broken damaged dented scratched stained scratch dent marks wear damage cosmetic cosmetically "
    "defect defects issue issues problems stored storage boxed sealed opened unopened assembled dismantled "
    "protected descaled calibrated serviced tuned dropped refurbished handled treated "
    "assembly lamp light lights candeeiro luz luzes "
    # What comes along, and what is not there.
    "inclui incluido incluo incluindo falta faltam faltava acrescento acrescenta oferta ofereco ofereci extra peca "
    "pecas componentes kit conjunto par adesivo autocolante lamina laminas borboleta faca argola medidor tampas forro "
    "pano panos mopa base rede mosquiteira chuva porta-copos adaptador memoria leitor dock discos vinis recarga "
    "missing includes included including bundle spare spares pair sticker stickers blade blades butterfly "
    "measuring gasket liner cloth cloths mop net shade holder parts part pieces screw insert inserts cushions "
    "receita receitas livros recipe recipes book books "
    # What is sold.
    "telefone celular smartphone phone phones headphones earphones earbuds headset auscultadores fones auriculares "
    "coluna speaker lente lens kindle ereader leitor drone bimby cafeteira bike tripod tripe "
    "telemovel relogio portatil computador consola tablet camara maquina bicicleta trotinete carrinho cadeira mesa "
    "sofa estante aspirador robo fritadeira gira-discos impressora artigo aparelho produto atrasa adianta "
    "watch laptop computer console camera machine bike bicycle scooter pram pushchair stroller chair table sofa shelf "
    "vacuum hoover fryer turntable printer item product device "
    # Where it comes from, and why it goes.
    "comprado comprei compramos comprou compra adquirido adquiri prenda ofereceram ofereceu herdei herdado dono donos "
    "proprietario vendo vendemos vender venda vende motivo mudei mudamos troquei trocado trocada substituido "
    "substitui reparado reparei arranjado revisto revisao manutencao atualizado atualizada formatado restaurado "
    "desbloqueado operadora edicao versao modelo colecao colecionador raro vintage limitada cresceu "
    "bought purchased gift inherited owner owners owned selling sell sale reason upgraded upgrade upgrading "
    "downsizing decluttering replaced repaired fixed restored updated firmware wiped unlocked carrier edition version "
    "model limited rare collectible collector outgrew outgrown outgrow "
    # How it is handed over.
    "entrego entrega entregar entregas levantamento levantar recolha recolher envio envios portes "
    "negociavel combinar urgente transporte retoma troca trocas aceito aceita "
    "collect collection collected pickup deliver delivery deliver postage shipping courier negotiable offers swap "
    "swaps urgent "
    # What it is like.
    "tamanho medidas altura largura comprimento cor litros watts confortavel comodo potente silencioso silenciosa "
    "barulho barulhento ruido cheiro cheira fumo fumador fumadores fumamos fumam animais bonito bonita lindo linda "
    "elegante robusto resistente estavel leve pesado portatil compacto macio madeira pele tecido metal "
    "size measures measurements height width length colour comfortable comfy powerful quiet silent noisy noise smell "
    "smells smoke smoker smoking pets beautiful sturdy solid stable lightweight heavy portable compact soft wooden "
    "leather fabric metal".split()
)
"""One of these words is enough: nobody writes it of anything else here."""
_WITH_OTHERS = frozenset(
    "tudo todo toda nada ja ainda pouco pouca poucos poucas raramente quase nunca sempre muito muita dia dias semana "
    "semanas mes meses ano anos vez vezes hora horas casa quarto sala cozinha grande pequeno rapido rapida facil "
    "pratico util preto branco azul vermelho verde cinzento rosa amarelo castanho dourado prateado filho filha bebe "
    "mae avo importante especial mencionar assinalar acrescentar destacar relevante igual acima abaixo descrito "
    "all everything already still little few rarely hardly barely never always much very day days week weeks month "
    "months year years time times hour hours home house room kitchen big small large fast quick easy handy useful "
    "practical black white blue red green grey pink yellow brown gold silver son daughter baby mum honest really "
    "important special mention add note notable worth same above below described excellent lovely super top star "
    "there present excelente maravilhosa maravilhoso fantastico espetacular cinco estrelas five stars only just".split()
)
"""Where all words of a text are of these, they speak of what is asked."""
_KNOWN = _WITH_OTHERS | PRAISE | NODS | NEGATIONS
_COMES_WITH = patterns.compile(
    r"(?:(?:also|tambem|e|and|ok|sim|yes|so|only|just|apenas|ainda|it|ele|ela)\b[\s,]*)*"
    r"(?:com|sem|with|without|tem|traz|leva|vem(?: com)?|has|its got|includes?|comes with)\s"
    r"(?!(?:licenca|certeza|pressa|sono|fome|paciencia|todo|comentarios|graca|jeito|que|de|sentido|a doubt|all due|"
    r"respect|respeito|love|been|to)\b)\w"
)
"""The start of a text that says what is with the item, whatever that is called."""
_SAYINGS = patterns.compile(
    r"\b(?:looked after|moving (?:house|home|abroad)|pick(?:ed)? up|vgc|gwo|as[- ]new)\b"
)
"""Words that only together, or only short, say it."""
_TALK_OF_QUESTION = frozenset(
    "ha mais alguma coisa dizer algo outra exemplo anything else say nothing something example other there se "
    "is any are if you can skip this pode passar frente que what which quais qual esta este do does your write "
    "escreva not sure nada nothing or ou foi foram was were come comes more mais nao none should phone "
    "telemovel past separate separe them".split()
)
"""Words of a question that name nothing of the item."""


def tells_of_item(element: Element, text: str) -> bool:
    """Return whether a text for this question has a word of a thing that is sold: `muito estimado`, `always in a case`.

    Of a longer text than MOST_LETTERS nobody doubts it.
    """
    if len(text) > MOST_LETTERS:
        return True
    said = tokens(text)
    if (
        _NOTHING.issuperset(said)
        or any(map(is_number, said))
        or any(_is_of_a_thing(each) or names_thing(each) for each in said)
    ):
        return True
    flat = fold(text)
    if (
        _COMES_WITH.match(flat)
        or _SAYINGS.search(flat)
        or is_term(text)
        or tells_fault(text)
        or tells_mark(text)
        or denies_faults(text)
    ):
        return True
    own = own_words(element) - _TALK_OF_QUESTION
    if not _GAMES.isdisjoint(own):
        return True  # A game may be called anything.
    left = content(said)
    if any(is_like(each, one) for each in left for one in content(own)):
        return True
    said_more = [each for each in left if each not in HEDGES]
    return (bool(said_more) or not left) and all(_is_with_others(each) for each in said_more)


_GAMES = frozenset(("jogos", "games"))
_NOTHING = frozenset(
    "passo pass skip salta "
    "no nope nah nao nada nothing none nenhum nenhuma mais more else other outra coisa to add a acrescentar dizer say "
    "that s it is all e tudo isso so just only apenas of note special especial i think acho que there are any ha tem "
    "tenho have anything other than de por mim from me".split()
)
"""The words of an answer that nothing is to be told."""


@lru_cache(maxsize=1024)
def _is_of_a_thing(word: str) -> bool:
    return word in _OF_A_THING or _is_one_of(word, _OF_A_THING)


@lru_cache(maxsize=1024)
def _is_with_others(word: str) -> bool:
    return word in _KNOWN or _is_one_of(word, _KNOWN)


def _is_one_of(word: str, known: Iterable[str]) -> bool:
    """Return whether a word is one of these in another form or mistyped; a short one may be another word."""
    return len(word) >= _LONG and any(len(each) >= _LONG and is_like(word, each) for each in known)


_LONG = 5
