"""The demo model's protocol: the questions that the catalog asks about a similar product, else general ones."""

from typing import Any

from server.demo.requests.parsed_request import Answers, ParsedRequest
from server.markup_removal import without_symbols


def answer(given: ParsedRequest) -> dict[str, Any]:
    """Return the catalog's own questions, after a line that says where they are from."""
    name = without_symbols(str((given.request.get("node_context") or {}).get("name", "")))
    info = _element(given.say(f"Sobre: {name}", f"About: {name}"), given.label, kind="info")
    return {"elements": [info, *(given.facts.get("similar") or _general(given))]}


def _element(
    label: str, hint: str = "", *, kind: str = "text", required: bool = False, options: tuple[Any, ...] = ()
) -> dict[str, Any]:
    listed = [{"label": text, "deal_breaker": breaks} for text, breaks in options]
    return {"kind": kind, "label": label, "required": required, "hint": hint, "options": listed}


def _general(given: ParsedRequest) -> list[dict[str, Any]]:
    say = given.say
    grades = (say("Excelente", "Excellent"), say("Bom", "Good"), say("Razoável", "Fair"), say("Mau", "Poor"))
    return [
        _element(
            say("Em que estado está?", "What condition is it in?"),
            say("Excelente: parece novo. Mau: com defeitos.", "Excellent: looks new. Poor: faulty."),
            kind="select",
            required=True,
            options=tuple((each, False) for each in grades),
        ),
        _element(say("Funciona tudo?", "Does everything work?"), kind="boolean", required=True),
        _element(
            say("Está completo?", "Is it complete?"),
            say("Peças, cabos e acessórios de origem.", "Original parts, cables and accessories."),
            kind="select",
            required=True,
            options=((say("Sim", "Yes"), False), (say("Falta um acessório", "An accessory is missing"), False),
                     (say("Falta uma peça essencial", "An essential part is missing"), True)),
        ),
        _element(say("Quando foi comprado?", "When was it bought?"), kind="date"),
        _element(say("O que mais deve saber quem compra?", "What else should a buyer know?")),
    ]  # fmt: skip


ANSWERS: Answers = {"ProtocolAnswer": answer}
