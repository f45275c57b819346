"""The verdicts of the judge: valid, unsure or refused, with a sentence that says what to write."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

from server.loopos.answers.element import Text

REFUSALS: Mapping[str, Text] = MappingProxyType(
    {
        "empty": Text("Escreva uma resposta.", "Write an answer."),
        "required": Text(
            "Esta pergunta precisa de resposta. Pode ser aproximada.",
            "This question needs an answer. A rough one will do.",
        ),
        "why_required": Text(
            "Sem esta resposta o artigo não fica completo. {hint} Se não souber, pode saltá-la por agora.",
            "Without this answer the item stays incomplete. {hint} If you do not know, you can skip it for now.",
        ),
        "still_unclear": Text(
            "Continuo sem perceber. {hint} Se não souber, pode saltar esta pergunta.",
            "I still do not understand. {hint} If you do not know, you can skip this question.",
        ),
        "not_this_question": Text(
            "Isto ainda não responde a esta pergunta. {hint}",
            "This does not answer this question yet. {hint}",
        ),
        "not_to_be_seen": Text(
            "Se não encontrar, escreva «não sei»: esta pergunta pode ficar em branco.",
            "If you cannot find it, write “I don't know”: this question may stay open.",
        ),
        "not_confirmed": Text("Então qual é a resposta certa?", "Then what is the right answer?"),
        "denied_before": Text(
            "Já disse que não é «{said}», e não percebi outra resposta. Qual é a certa? Também pode saltar a pergunta.",
            "You said that it is not “{said}”, and I read no other answer. Which is right? You can also skip this.",
        ),
        "not_in_text": Text(
            "Não ficou claro que parte é. O texto está no campo: mude-o aí e envie-o, e ele fica assim.",
            "It is not clear which part that is. The text is in the field: change it there and send it.",
        ),
        "write_whole_text": Text(
            "Escreva o texto inteiro como deve ficar. Ele substitui este.",
            "Write the whole text as it should be. It replaces this one.",
        ),
        "nothing_to_confirm": Text(
            "Esse botão já não se aplica. Responda à pergunta que está aberta.",
            "That button no longer applies. Answer the question that is open.",
        ),
        "other_item": Text(
            "«{said}» é sobre {product} ({reference}), já guardado. Só a loja pode mudar esse artigo agora.",
            "“{said}” is about {product} ({reference}), stored before. Only the shop can change that one now.",
        ),
        "not_said": Text("Escolha uma das opções.", "Choose one of the options."),
        "said_otherwise": Text("Foi dito outro valor: {said}.", "Another value was said: {said}."),
        "too_long": Text("Escreva no máximo {max} caracteres.", "Write at most {max} characters."),
        "pattern": Text("Escreva no formato pedido: {hint}", "Write it in the form asked for: {hint}"),
        "number_only": Text(
            "Escreva só o número, por exemplo {example}.", "Write the number only, for example {example}."
        ),
        "only_a_limit": Text(
            "Isso é só um limite. Escreva um número aproximado, ou «não sei».",
            "That is only a limit. Write a rough number, or “I don't know”.",
        ),
        "of_accounts": Text(
            "Aqui trata-se de contas, por exemplo iCloud ou Google, não da operadora. Está livre delas?",
            "This is about accounts, for example iCloud or Google, not the network. Is it free of them?",
        ),
        "of_a_charge": Text(
            "Isso é quanto dura uma carga. Escreva os quilómetros que mostra, por exemplo 1200.",
            "That is how far a charge lasts. Write the kilometres that it shows, for example 1200.",
        ),
        "too_small": Text("Escreva um número a partir de {min}.", "Write a number of at least {min}."),
        "too_large": Text("Escreva um número até {max}.", "Write a number of at most {max}."),
        "not_a_date": Text(
            "Escreva o mês e o ano, por exemplo 03/2022.", "Write the month and year, for example 03/2022."
        ),
        "year_missing": Text(
            "Escreva também o ano, por exemplo março de 2022.", "Write the year too, for example March 2022."
        ),
        "date_in_future": Text(
            "Esta data ainda não chegou. Escreva uma data até hoje.",
            "This date has not come yet. Write a date up to today.",
        ),
        "number_beside": Text(
            "Aqui não se pergunta um número ({number}). Responda só sim ou não.",
            "No number is asked for here ({number}). Answer just yes or no.",
        ),
        "yes_or_no": Text("Responda sim ou não.", "Answer yes or no."),
        "not_an_option": Text("Escolha uma das opções: {options}.", "Choose one of the options: {options}."),
        "ambiguous": Text("Qual destas: {options}?", "Which of these: {options}?"),
        "said_before": Text(
            "Essa resposta não ficou guardada: escreva-a outra vez, por favor.",
            "That answer was not kept: please write it again.",
        ),
        "not_an_answer": Text(
            "Isto é uma pergunta, ainda não uma resposta.", "This is a question, not yet an answer."
        ),
        "question_again": Text("A pergunta é: {question}", "The question is: {question}"),
        "price_only": Text(
            "Escreva só o preço em euros, por exemplo 150 €. Também pode deixar sem preço.",
            "Write the price in euro only, for example €150. You can also leave it without a price.",
        ),
        "price_zero": Text(
            "O preço tem de ser mais do que 0 €. Também pode deixar sem preço.",
            "The price has to be more than €0. You can also leave it without a price.",
        ),
        "price_too_large": Text("Escreva um preço até {max}.", "Write a price of at most {max}."),
        "one_price": Text("Escreva um só preço, o que pede.", "Write one price only, the one that you ask."),
        "other_currency": Text(
            "Aqui os preços são em euros. Escreva quanto pede em euros.",
            "Prices are in euro here. Write what you ask in euro.",
        ),
        "not_a_question": Text("Este aviso não pede resposta.", "This notice asks for no answer."),
    }
)
"""Every code; the text's key elsewhere is `answer.<code>`."""


@dataclass(frozen=True, slots=True)
class Valid:
    """An answer that counts."""

    value: str | int | float | bool | None
    """Text, number, ISO date (`2022`, `2022-03`, `2022-03-14`), yes/no, an option's value; None = skipped."""
    shown: str
    """The text that is shown, in the language of the question."""
    deal_breaker: bool = False
    """The item cannot be taken with this answer."""

    @property
    def skipped(self) -> bool:
        """Return whether the seller left the question out."""
        return self.value is None


@dataclass(frozen=True, slots=True)
class Refused:
    """An answer that does not count, and what to write instead."""

    code: str
    params: Mapping[str, str] = field(default_factory=dict)
    """The values of the sentence, already in the language of the question."""

    @property
    def key(self) -> str:
        """Return the message key."""
        return f"answer.{self.code}"

    @property
    def text(self) -> Text:
        """Return the sentence in both languages."""
        template = REFUSALS[self.code]
        return Text(template.pt.format(**self.params), template.en.format(**self.params))

    def text_in(self, language: str) -> str:
        """Return the sentence in this language."""
        return REFUSALS[self.code].text_in(language).format(**self.params)


Reason = Literal["unsure", "refuses", "paraphrase", "unread"]


@dataclass(frozen=True, slots=True)
class ProbableAnswer:
    """The probable meaning of an answer; it counts once the seller has confirmed it."""

    guess: Valid
    reason: Reason = "unsure"
    """`refuses`: the words are plain, but this answer ends the sale. `paraphrase`: the seller did not say the value.

    `unread`: it waited before the newest message, which says nothing understandable about it.
    """


Judgement = Valid | ProbableAnswer | Refused
