"""Conversations as lists of events, for what the page has to show: one for each state worth a picture."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

from server.protocol import blocks
from server.protocol import events as ev
from server.protocol.events import Event
from server.protocol.operators import change_part, operator_events, said_part

SESSION = "ses_gallery00000000000000"
NEXT = "run_next"
"""The run that a message sent here begins."""
NOW = 1_795_183_320_000
IDENTIFICATION = "loop_os_ai_submission_product_identification_agent"
OPTIONS = "loop_os_ai_submission_product_options_agent"
REGISTRATION = "loop_os_ai_submission_create_item_agent"
QUESTIONS = "loop_os_ai_submission_protocol_agent"

WHO = {
    "get_catalog": (IDENTIFICATION, "search"),
    "create_item": (REGISTRATION, "box"),
    "ask_user": (REGISTRATION, "question"),
    "validate_protocol_answer": (QUESTIONS, "check"),
}
"""Whose tool it is, and its icon."""


@dataclass
class Scenario:
    """A conversation; `live` are the events that come after the page was opened."""

    name: str
    events: list[Event]
    live: list[Event] = field(default_factory=list)
    queue: list[dict[str, Any]] = field(default_factory=list)


def said(number: int, text: str, *, run: str | None = None) -> list[Event]:
    """A run begins with the seller's words."""
    run = run or f"run_{number}"
    message = f"msg_u{number}"
    return [
        ev.run_started(SESSION, run, at=NOW + number * 60_000),
        ev.text_start(message, "user", at=NOW + number * 60_000, client_id=f"c{number}"),
        ev.text_content(message, text),
        ev.text_end(message),
    ]


def pictured(number: int, text: str = "") -> list[Event]:
    """A run begins with two of the seller's pictures, with words or without."""
    drawn = [("#c9b59a", 800, 600), ("#88aa77", 600, 900)]
    images = [
        {
            "type": "image",
            "blob_id": f"blb_{place}",
            "url": _picture(*each),
            "width": each[1],
            "height": each[2],
        }
        for place, each in enumerate(drawn)
    ]
    run_started, start, _, end = said(number, text)
    start = ev.text_start(
        f"msg_u{number}",
        "user",
        at=NOW + number * 60_000,
        client_id=f"c{number}",
        content=[*([{"type": "text", "text": text}] if text else []), *images],
    )
    return [run_started, start, *([ev.text_content(f"msg_u{number}", text)] if text else []), end]


def _picture(colour: str, width: int, height: int) -> str:
    """Return the address of a picture of one colour, which needs no server."""
    size = f"width='{width}' height='{height}'"
    drawn = f"<svg xmlns='http://www.w3.org/2000/svg' {size}><rect {size} fill='{colour}'/></svg>"
    return f"data:image/svg+xml,{quote(drawn)}"


def spoke(message: str, agent: str, text: str, *, open_: bool = False) -> list[Event]:
    """An agent says something."""
    events = [ev.text_start(message, "assistant", name=agent, at=NOW), ev.text_content(message, text)]
    return events if open_ else [*events, ev.text_end(message)]


def called(
    call: str, name: str, result: str = "{}", *, args: str = "{}", ms: int = 800, status: Any = "done"
) -> list[Event]:
    """A tool was called and has ended."""
    return [
        *calling(call, name, args=args),
        ev.tool_result(f"res_{call}", call, result, status=status, duration_ms=ms),
    ]


def calling(call: str, name: str, *, args: str = "{}") -> list[Event]:
    """Return a tool works."""
    start = ev.tool_start(call, name, at=NOW)
    agent, icon = WHO.get(name, (OPTIONS, "search"))
    start["metadata"] = {"loopwire": {"icon": icon, "agent": agent}}
    return [start, ev.tool_args(call, args), ev.tool_end(call)]


def shown(block_id: str, block: blocks.Block, **more: Any) -> list[Event]:
    """A block is shown; with an answer it is shown folded."""
    status = "answered" if "answer" in more else "open"
    return [ev.activity(block_id, "block", {**block.to_content(status), **more}, at=NOW)]


def handed(message: str, old: str, new: str, reason: str) -> list[Event]:
    """Return the events of a handoff from one agent to another."""
    content = {"from": old, "to": new, "reason": reason, "status": "done"}
    return [ev.step_finished(old), ev.activity(message, "handoff", content, at=NOW), ev.step_started(new)]


def ended(number: int) -> list[Event]:
    """A run ends well."""
    return [ev.run_finished(SESSION, f"run_{number}")]


PRODUCT = blocks.Choices(
    "product", "Produto", (), change=blocks.Choice("change", "Alterar: Produto", name="change")
)
SETS = blocks.Choices(
    "option:7",
    "Conjunto",
    (
        blocks.Choice("71", "Com XF 18-55 mm", "o que escreveu"),
        blocks.Choice("72", "Com XC 15-45 mm", "o conjunto base"),
        blocks.Choice("73", "Só o corpo", "sem objetiva"),
        blocks.Choice("74", "Com XF 16-80 mm", ""),
        blocks.Choice("75", "Com XF 35 mm", ""),
    ),
    first=3,
)
SHOTS = blocks.Form(
    "element:3",
    "Número de disparos",
    "number",
    hint="Se não souber ao certo, uma estimativa chega.",
    unit="disparos",
    value="uns 12 mil",
    error="Escreva só o número, por exemplo 12000.",
    unsure=blocks.Choice("unknown", "Não sei"),
    position=3,
    total=7,
)
ITEM = blocks.Card(
    title="Fujifilm X-T30 II com 18-55",
    tag="Artigo criado",
    tone="good",
    reference="LW-48213",
    pairs=(
        blocks.Pair("Cor", "Prateada"),
        blocks.Pair("Estado", "Muito bom"),
        blocks.Pair("Disparos", "12 000"),
        blocks.Pair("Inclui", "Caixa, fatura, correia"),
    ),
    link="/items/itm_1",
    next_steps="O artigo ficou registado. Nesta conversa pode corrigi-lo ou juntar fotografias.",
    share="Fujifilm X-T30 II com 18-55 · Fujifilm\nLW-48213",
    actions=(blocks.Choice("correct", "Corrigir"),),
    suggestions=("Quero vender outro artigo",),
)


def beginning() -> list[Event]:
    """The product is found and confirmed, and the options' agent has the conversation."""
    return [
        *said(1, "Quero vender a minha Fujifilm X-T30 II com a 18-55. Comprei-a em 2022 e está como nova."),
        ev.step_started(IDENTIFICATION),
        *called("cal_1", "get_catalog", '{"total":3}', args='{"query":"Fujifilm X-T30 II"}'),
        *spoke(
            "msg_1",
            IDENTIFICATION,
            "Encontrei-a: **Fujifilm X-T30 II**, marca Fujifilm. É esta, e não a X-T30 de 2019?",
        ),
        *shown("blk_1", PRODUCT, answer={"value": "1", "label": "Fujifilm X-T30 II"}),
        *handed("msg_h1", IDENTIFICATION, OPTIONS, "produto e marca confirmados"),
    ]


def answered_so_far() -> list[Event]:
    """The item exists and two of its questions are answered."""
    box = blocks.Choices("element:1", "Vem com caixa?", (), change=PRODUCT.change)
    bought = blocks.Choices("element:2", "Data de compra", (), change=PRODUCT.change)
    return [
        *beginning(),
        *spoke("msg_2", OPTIONS, "A X-T30 II foi vendida em vários conjuntos. Qual é o seu?"),
        *ended(1),
        *said(2, "Sim, pode criar."),
        ev.step_started(REGISTRATION),
        *called("cal_2", "create_item", '{"reference":"LW-48213"}', ms=1200),
        *handed("msg_h2", REGISTRATION, QUESTIONS, "artigo criado"),
        *shown("blk_2", box, answer={"value": "yes", "label": "Sim"}),
        *shown("blk_3", bought, answer={"value": "2022-03", "label": "março de 2022"}),
        *spoke(
            "msg_3",
            QUESTIONS,
            "«Uns 12 mil» já ajuda, mas preciso do número em algarismos. Pode ser aproximado.",
        ),
    ]


ANSWER = (
    "Entretanto, pela primeira fotografia parece ser a versão prateada, com a correia original. "
    "Há **três conjuntos** desta máquina:\n\n- com a XF 18-55 mm\n- com a XC 15-45 mm\n- só o corpo\n\n"
    "Diga-me qual é o seu, e passo à pergunta seguinte."
)
LONG = " ".join(
    f"Esta é a frase número {n} de uma resposta comprida, que chega aos poucos." for n in range(1, 19)
)


SECTION = (Path(__file__).parent / "answer.md").read_text(encoding="utf-8")
MARKDOWN = "Começo pelo mais importante.\n\n" + SECTION * 9 + "É tudo por agora."


def deltas(message: str, text: str, size: int = 6) -> list[Event]:
    """Return a text as it streams: a few characters at a time, blanks and all."""
    return [ev.text_content(message, text[at : at + size]) for at in range(0, len(text), size)]


def streaming() -> Scenario:
    """Text comes while options are open."""
    asked = [
        *beginning(),
        *spoke("msg_2", OPTIONS, "A X-T30 II foi vendida em vários conjuntos. Qual é o seu?"),
    ]
    now = [*asked, *shown("blk_4", SETS)]
    live = [*deltas("msg_4", ANSWER), ev.text_end("msg_4"), ev.step_finished(OPTIONS), *ended(1)]
    opened = spoke(
        "msg_4",
        OPTIONS,
        "Entretanto, pela primeira fotografia parece ser a versão prateada, com a correia ori",
        open_=True,
    )
    return Scenario("streaming", [*now, *opened], [ev.text_content("msg_4", "ginal. "), *live])


def tool() -> Scenario:
    """A tool tells how far it is."""
    content = {
        "tool_call_id": "cal_3",
        "progress": 0.66,
        "label": "tool.create_item.step.register",
        "step": "2 de 3",
    }
    working = [
        *beginning(),
        *calling("cal_3", "create_item"),
        ev.activity("prg_cal_3", "tool_progress", content),
    ]
    return Scenario(
        "tool", working, [ev.tool_result("res_cal_3", "cal_3", '{"reference":"LW-48213"}', duration_ms=1200)]
    )


def handoff() -> Scenario:
    """The conversation has just moved on."""
    return Scenario("handoff", [*said(1, "Quero vender a minha Fujifilm X-T30 II.")], beginning()[4:])


def options() -> Scenario:
    """Options with more behind them; what is said next is no answer."""
    asked = [
        *beginning(),
        *spoke("msg_2", OPTIONS, "A X-T30 II foi vendida em vários conjuntos. Qual é o seu?"),
    ]
    live = [
        *said(2, "Porquê?", run=NEXT),
        *spoke("msg_3", OPTIONS, "O preço muda."),
        ev.run_finished(SESSION, NEXT),
    ]
    return Scenario("options", [*asked, *shown("blk_4", SETS), *ended(1)], live)


def form() -> Scenario:
    """Return a field with an error; the next answer is refused for the same reason."""
    live = [*said(3, "uns 13 mil", run=NEXT), *shown("blk_5", SHOTS), ev.run_finished(SESSION, NEXT)]
    return Scenario("form", [*answered_so_far(), *shown("blk_5", SHOTS), *ended(2)], live)


def queued() -> Scenario:
    """Two messages wait for the answer."""
    one = {
        "run_id": "run_8",
        "message_id": "msg_8",
        "id": "c8",
        "text": "Ah, e ainda tenho a caixa e a fatura.",
    }
    return Scenario("queued", streaming().events, [], [one])


def stopped() -> Scenario:
    """Return the seller stopped the answer."""
    cancelled = ev.run_finished(SESSION, "run_1", {"type": "cancelled"})
    return Scenario(
        "stopped", [*streaming().events, ev.text_end("msg_4"), ev.step_finished(OPTIONS), cancelled]
    )


def failed() -> Scenario:
    """Return the answer broke off, and a tool before it."""
    work = called("cal_4", "get_product_options", '{"status":"failed"}', status="failed", ms=5000)
    broken = spoke("msg_5", OPTIONS, "A X-T30 II foi vendida em")
    return Scenario(
        "failed",
        [
            *beginning(),
            *work,
            *broken,
            ev.step_finished(OPTIONS),
            ev.run_error("The model ended early.", "cut", run_id="run_1"),
        ],
    )


def finished(name: str = "finished", card: blocks.Card = ITEM, status: str = "complete") -> Scenario:
    """The item is there."""
    done = [
        *ended(2),
        *said(3, "12000"),
        ev.step_started(QUESTIONS),
        *called("cal_5", "validate_protocol_answer", '{"shown":"12 000"}', ms=40),
        *spoke("msg_6", QUESTIONS, "Está tudo. O artigo ficou assim:"),
        *shown("blk_6", card),
        ev.state_snapshot({"status": status, "product": "Fujifilm X-T30 II"}),
        ev.step_finished(QUESTIONS),
        *ended(3),
    ]
    return Scenario(name, [*answered_so_far(), *done])


def refused() -> Scenario:
    """The item is there, and the shop does not take it."""
    card = replace(ITEM, tag="Artigo recusado", tone="bad", link="", next_steps="", share="")
    return finished("refused", card, "refused")


def folded() -> Scenario:
    """Three calls in a row become one line while the page is open."""
    before = [*said(1, "Quero vender a minha Fujifilm X-T30 II."), ev.step_started(IDENTIFICATION)]
    one, two, three = (called(f"cal_{n}", "get_catalog", '{"total":3}') for n in (1, 2, 3))
    rest = [*spoke("msg_1", IDENTIFICATION, "Encontrei-a."), ev.step_finished(IDENTIFICATION), *ended(1)]
    return Scenario("folded", [*before, *one], [*two, *three, *rest])


HOUR = 3_600_000
CREATE = blocks.Approval(
    "int_1",
    "Criar o artigo «Fujifilm X-T30 II com 18-55» na sua conta?",
    NOW + HOUR,
    tool="create_item",
    pairs=(
        blocks.Pair("Marca", "Fujifilm"),
        blocks.Pair("Conjunto", "Com XF 18-55 mm"),
        blocks.Pair("Cor", "Prateada"),
    ),
)
PICKUP = blocks.Ask(
    "int_2",
    "Faltam alguns dados para a recolha.",
    NOW + 24 * HOUR,
    (
        blocks.Field("name", "Nome de quem entrega", required=True, min=2, max=60),
        blocks.Field("email", "E-mail", "email", "Só para avisar da hora da recolha.", required=True),
        blocks.Field("day", "Dia da recolha", "date", required=True, min="2026-11-22", max="2026-12-22"),
        blocks.Field("boxes", "Quantas caixas", "integer", required=True, min=1, max=20),
        blocks.Field("weight", "Peso aproximado, em quilos", "number", "Uma estimativa chega.", min=0),
        blocks.Field(
            "floor",
            "Onde está",
            "choice",
            choices=(
                blocks.Choice("ground", "Rés do chão"),
                blocks.Choice("lift", "Andar com elevador"),
                blocks.Choice("stairs", "Andar sem elevador"),
            ),
            required=True,
        ),
        blocks.Field(
            "district",
            "Distrito",
            "choice",
            choices=tuple(
                blocks.Choice(each.lower(), each)
                for each in ("Aveiro", "Braga", "Coimbra", "Évora", "Faro", "Lisboa", "Porto")
            ),
        ),
        blocks.Field("fragile", "É frágil?", "yesno", required=True),
    ),
)
PICKED = {
    "name": "Ana Sousa",
    "email": "ana@exemplo.pt",
    "day": "2026-11-24",
    "boxes": 2,
    "weight": 1.5,
    "floor": "lift",
    "fragile": True,
}


def waiting(number: int, call: str, kind: str, block_id: str | None = None) -> Event:
    """A run ends because a call waits for a person."""
    own = {"kind": kind, **({"block_id": block_id} if block_id else {})}
    interrupt = {
        "id": f"int_{number}",
        "reason": "tool_call",
        "toolCallId": call,
        "metadata": {"loopwire": own},
    }
    return ev.run_finished(SESSION, f"run_{number}", {"type": "interrupt", "interrupts": [interrupt]})


def settled(block_id: str, status: str, answer: Any = None) -> Event:
    """A block is answered, or will not be any more."""
    patch = [{"op": "add", "path": "/status", "value": status}]
    if answer is not None:
        patch.append({"op": "add", "path": "/answer", "value": answer})
    return ev.activity_delta(block_id, "block", patch)


def approval() -> Scenario:
    """A call waits for a person's yes; then it runs."""
    asked = [
        *said(1, "Sim, pode criar."),
        ev.step_started(REGISTRATION),
        *spoke("msg_1", REGISTRATION, "Falta só a sua confirmação: depois disto o artigo fica na sua conta."),
        *calling("cal_1", "create_item"),
        *shown("blk_1", CREATE),
        ev.step_finished(REGISTRATION),
        waiting(1, "cal_1", "approval", "blk_1"),
    ]
    live = [
        ev.run_started(SESSION, "run_2", parent_run_id="run_1"),
        settled("blk_1", "answered", {"approved": True}),
        ev.step_started(REGISTRATION),
        ev.tool_result("res_cal_1", "cal_1", '{"reference":"LW-48213"}', duration_ms=1200),
        *spoke("msg_2", REGISTRATION, "Criado: **LW-48213**."),
        ev.step_finished(REGISTRATION),
        ev.run_finished(SESSION, "run_2"),
    ]
    return Scenario("approval", asked, live)


def several() -> Scenario:
    """Two calls wait for a yes at once; one of them gets it, then the person writes something else."""
    items = blocks.Approval("int_2", "Posso ver os seus artigos?", NOW + HOUR, tool="list_my_items")
    asked = [
        *said(1, "Cria o artigo e diz-me o que já tenho."),
        ev.step_started(REGISTRATION),
        *calling("cal_1", "create_item"),
        *calling("cal_2", "list_my_items"),
        *shown("blk_1", CREATE),
        *shown("blk_2", items),
        ev.step_finished(REGISTRATION),
        waiting(1, "cal_1", "approval", "blk_1"),
    ]
    live = [
        ev.run_started(SESSION, "run_2", parent_run_id="run_1"),
        settled("blk_1", "answered", {"approved": True}),
        ev.tool_result("res_cal_1", "cal_1", '{"reference":"LW-48213"}', duration_ms=1200),
        ev.run_finished(SESSION, "run_2"),
    ]
    both = asked[-1]["outcome"]["interrupts"]
    both += waiting(2, "cal_2", "approval", "blk_2")["outcome"]["interrupts"]
    return Scenario("several", asked, live)


def ask() -> Scenario:
    """Several questions at once."""
    asked = [
        *said(1, "Podem vir buscar?"),
        ev.step_started(REGISTRATION),
        *calling("cal_1", "ask_user"),
        *shown("blk_1", PICKUP),
        ev.step_finished(REGISTRATION),
        waiting(1, "cal_1", "form", "blk_1"),
    ]
    live = [
        ev.run_started(SESSION, "run_2", parent_run_id="run_1"),
        settled("blk_1", "answered", PICKED),
        ev.tool_result("res_cal_1", "cal_1", "{}", duration_ms=40),
        *spoke("msg_2", REGISTRATION, "Fica marcado."),
        ev.run_finished(SESSION, "run_2"),
    ]
    return Scenario("ask", asked, live)


def decided() -> Scenario:
    """Return every way in which such a question ends, and a call that waits for the browser."""
    events: list[Event] = []
    number = 0
    for kind, block in (("approval", CREATE), ("form", PICKUP)):
        for status in ("answered", "declined", "expired", "closed"):
            number += 1
            block_id = f"blk_{number}"
            answer = PICKED if kind == "form" and status == "answered" else None
            events += said(number, "E agora?")
            events += shown(block_id, block)
            events += [*ended(number), settled(block_id, status, answer)]
    events += [*said(9, "Onde estou?"), ev.step_started(OPTIONS), *calling("cal_9", "where_am_i")]
    return Scenario("decided", [*events, ev.step_finished(OPTIONS), waiting(9, "cal_9", "tool")])


def narrow() -> Scenario:
    """Return what has to wrap on a phone: long questions with their answers, long results, a question that was left."""
    label = "O telemóvel está bloqueado por uma conta da Apple, da Google ou da Samsung?"
    asked = blocks.Choices("element:1", label, (), change=PRODUCT.change)
    answer = "Sim, mas posso retirar a conta antes de o entregar"
    result = f'{{"shown":"{answer}, e com a caixa, o carregador e a fatura da loja"}}'
    return Scenario(
        "narrow",
        [
            *said(1, "Sim, mas posso retirar a conta."),
            *called("cal_1", "validate_protocol_answer", result, ms=24),
            *shown("blk_1", asked, answer={"value": "yes", "label": answer}),
            *spoke("msg_1", QUESTIONS, "Certo, faltam 4."),
            ev.activity("blk_2", "block", SETS.to_content("closed"), at=NOW),
            *ended(1),
        ],
    )


def photos() -> Scenario:
    """Pictures with words, and without."""
    answer = "A fotografia fica nesta conversa."
    first = [*pictured(1, "Quero vender isto."), *spoke("msg_1", IDENTIFICATION, answer), *ended(1)]
    return Scenario("photos", [*first, *pictured(2), *spoke("msg_2", IDENTIFICATION, answer), *ended(2)])


def noted(number: int, content: dict[str, Any]) -> list[Event]:
    """A person of the team says or does something, without an agent."""
    run, at = f"run_{number}", NOW + number * 60_000
    told = operator_events([content], f"msg_o{number}", at)
    return [ev.run_started(SESSION, run, kind="note", at=at), *told, ev.run_finished(SESSION, run)]


def operator() -> Scenario:
    """A person of the team joins, is written to, answers, and leaves; then another one joins."""
    answer = "Sim, no **sábado** das 10 às 13. Traga a bateria também, por favor."
    before = [
        *said(1, "Posso entregá-la na loja?"),
        *spoke("msg_1", OPTIONS, "Vou perguntar a quem está na loja."),
        *ended(1),
        *noted(2, change_part("joined", "Ana Sousa")),
        *said(3, "No sábado, se for possível."),
        ev.run_finished(SESSION, "run_3"),
        *noted(4, said_part(answer, "Ana Sousa")),
        *noted(5, change_part("left", "Ana Sousa")),
        *said(6, "Obrigado."),
        *spoke("msg_6", OPTIONS, "Continuamos então com as opções."),
        *ended(6),
    ]
    live = [*noted(7, change_part("joined", None)), *noted(8, said_part("Está tudo tratado.", "Rui"))]
    return Scenario("operator", before, live)


def long_answer() -> Scenario:
    """Return an answer of some 300 tokens streams into a full page."""
    before = [*beginning(), ev.text_start("msg_9", "assistant", name=OPTIONS, at=NOW)]
    return Scenario(
        "long", before, [*deltas("msg_9", LONG), ev.text_end("msg_9"), ev.step_finished(OPTIONS), *ended(1)]
    )


def markdown() -> Scenario:
    """Return an answer of two thousand words with everything that Markdown has."""
    before = [*beginning(), ev.text_start("msg_9", "assistant", name=OPTIONS, at=NOW)]
    live = [
        *deltas("msg_9", MARKDOWN, 23),
        ev.text_end("msg_9"),
        ev.step_finished(OPTIONS),
        *ended(1),
    ]
    return Scenario("markdown", before, live)


MAKERS: tuple[Callable[[], Scenario], ...] = (
    streaming, tool, handoff, options, form, queued, stopped, failed, finished, refused, folded, long_answer,
    approval, several, ask, decided, narrow, photos, operator, markdown,
)  # fmt: skip
SCENARIOS = {scenario.name: scenario for scenario in (make() for make in MAKERS)}
SCENARIOS["empty"] = Scenario("empty", [])
SCENARIOS["offline"] = Scenario("offline", options().events)
SCENARIOS["demo"] = Scenario("demo", options().events)
