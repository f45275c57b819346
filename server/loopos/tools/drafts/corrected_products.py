"""The correction of a draft's product: what was told of the wrong one is kept, to be confirmed for the right one."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from server import patterns
from server.languages import fold
from server.loopos.answers import PRICE, Element, Valid, adds_nothing
from server.loopos.answers.words import tokens
from server.loopos.catalog.words import VARIANTS
from server.loopos.core import Core
from server.loopos.tools.drafts.draft import Draft
from server.loopos.tools.drafts.switched_items import is_kept_open
from server.text_reading.wishes.product_corrections import ProductCorrection, product_correction

_KEY, _CARRIED = "corrected", "carried"
_AMOUNTS = ("passing_price", "put_price")
_SHORTEST = 2
_CORRECTING = frozenset(
    "afinal enganei engano errei errado errada trocar corrigir corrija actually wrong mistake instead meant".split()
)
_BESIDES = frozenset("tambem tb tbm also too another".split())
FINISHED = ("complete", "refused")
"""The statuses of an item that waits for no answer."""


def read_correction(draft: Draft) -> ProductCorrection | None:
    """Return the product that this message puts in the place of the draft's, or None where it says something else."""
    is_typed = not any(part.get("type") == "answer" for part in draft.run.input)
    return product_correction(draft.typed_text(), draft.run.state) if is_typed else None


def note_correction(draft: Draft) -> bool:
    """Note what was told of the wrong product, where this message corrects it; return whether it does."""
    if is_corrected_in_this_run(draft):
        return True
    corrected = read_correction(draft)
    if corrected is None:
        return False
    private, state = draft.run.private, draft.run.state
    codes = {word for each in private.get("missed") or [] for word in each[1].split() if _is_code(word)}
    answers = {**private.get(_CARRIED, {}), **private.get("answers", {})}
    price = answers.pop(PRICE.id, [None])[0]
    amounts = {name: private[name] for name in _AMOUNTS if name in private}
    amounts |= {"put_price": [draft.run.run_id, str(price)]} if price is not None else {}
    private[_KEY] = {
        "run": draft.run.run_id,
        "product_id": draft.product_id,
        "names": sorted({*tokens(f"{state.get('brand')} {state.get('product')}"), *map(fold, codes)}),
        "rest": corrected.rest,
        "values": [str(each) for each in (state.get("options") or {}).values()],
        "answers": {name: each for name, each in answers.items() if _tells(each, draft.language)},
        "amounts": amounts,
    }
    return True


def _tells(answer: Sequence[Any], language: str) -> bool:
    """Return whether an answer is one, and no text that says nothing."""
    value, shown = answer
    return value is not None and not (value == shown and adds_nothing(str(shown), language))


def _is_code(word: str) -> bool:
    return any(map(str.isdigit, word)) and any(map(str.isalpha, word))


def is_corrected_in_this_run(draft: Draft) -> bool:
    """Return whether it was noted that this message corrects the product."""
    return bool(draft.run.private.get(_KEY, {}).get("run") == draft.run.run_id)


def take_facts(draft: Draft, product_id: int) -> dict[str, Any] | None:
    """Return what was told of the wrong product, once, where this one takes its place; None where none does."""
    noted: dict[str, Any] | None = draft.run.private.pop(_KEY, None)
    return None if noted is None or noted["product_id"] == product_id else noted


def forget_correction(draft: Draft) -> None:
    """Forget what was told of the wrong product, since another item is looked for."""
    draft.run.private.pop(_KEY, None)


def carry_facts(draft: Draft, facts: Mapping[str, Any], product: str) -> None:
    """Let the words told of the wrong product be read of this one, and keep its answers to be confirmed.

    The message that corrects the product tells only what stands behind the right one. It is newer than the values
    that were chosen for the wrong one, so that its own values win.
    """
    private, heard, names = draft.run.private, list[list[str]](), frozenset(facts["names"])
    for run_id, said in private.get("heard", []):
        heard.append([run_id, facts["rest"] if run_id == facts["run"] else _with_name(said, names, product)])
    if facts["values"]:
        corrected = next((at for at, each in enumerate(heard) if each[0] == facts["run"]), len(heard) - 1)
        heard.insert(max(corrected, 0), [f"{draft.run.run_id}:before", ", ".join(facts["values"])])
    private["heard"] = heard
    private.update(facts["amounts"])
    private[_CARRIED] = facts["answers"]


def _with_name(said: str, names: frozenset[str], product: str) -> str:
    """Return words with the name of a product in the place of each run of words that names the wrong one."""
    found, run = list[str](), list[str]()
    for word in [*patterns.split(r"(\s+)", said), "\0"]:
        bare = word.strip("()[].,:;!?'\"“”«»")
        if (not word.strip() and run) or (bare and _is_of(bare, names)):
            run.append(word)
            continue
        found += _rename(run, product)
        run = []
        found.append(word)
    return "".join(found).removesuffix("\0")


def _is_of(word: str, names: frozenset[str]) -> bool:
    said = tokens(word)
    return fold(word) in names or (bool(said) and names.issuperset(said))


def _rename(run: list[str], product: str) -> Iterable[str]:
    """Return a run of words, or the product's name where one of them is more than a number or a variant."""
    words = [each for each in run if each.strip()]
    is_name = any(
        len(each) >= _SHORTEST and not each.isdigit() and not {*tokens(each)} <= VARIANTS for each in words
    )
    if not is_name:
        return run
    blanks = "" if run[-1].strip() else run[-1]
    mark = words[-1][-1] if not words[-1][-1].isalnum() else ""
    return [product, mark, blanks]


def carried_answer(draft: Draft, element: Element) -> Valid | None:
    """Return the answer that this question had for the wrong product, where it is one for this product too."""
    value, shown = draft.run.private.get(_CARRIED, {}).get(element.id, (None, ""))
    fits = not element.options or any(each.value == value for each in element.options)
    return Valid(value, str(shown)) if value is not None and fits else None


async def leave_behind(
    draft: Draft, product_id: int, *, one_more: bool, corrects: bool
) -> tuple[str | None, str | None]:
    """Leave or withdraw the existing item; return the reference of one that was withdrawn, and of one that stays.

    A finished item is withdrawn only where the seller says that it is the wrong product, as is one that waits.
    """
    run, status = draft.run, draft.run.state.get("status")
    stays = status in FINISHED and (one_more or not (corrects or _corrects(draft)))
    stays = stays or (is_kept_open(draft) and not corrects)
    if not draft.has_item() or (product_id == draft.product_id and not stays):
        return None, None
    reference: str = run.state["reference"]
    if not stays:
        await run.resource(Core).withdraw_item(run.state["item_id"], run.principal, language=draft.language)
        draft.leave_card(withdrawn=True)
    draft.forget_item(is_kept=stays)
    draft.forget_options(is_sold=stays)
    return (None, reference) if stays else (reference, None)


def _corrects(draft: Draft) -> bool:
    """Return whether the seller says that it was the wrong product, and of no other item that it is sold too."""
    said = [{*tokens(message)} for message in draft.messages()[:2]]
    return any(_CORRECTING & each for each in said) and not any(_BESIDES & each for each in said)
