"""Questions about what an item is worth: `how much should I ask?`, `quanto é que vale?`, `120 é muito?`."""

from server import patterns
from server.languages import fold
from server.loopos.answers.words import MOST_LETTERS

_ASKS = patterns.compile(
    r"\b(?:how much (?:should|could|can|do|would|will|did|is|are|for|to)|"
    r"what (?:should|could|can|would|do|does|did|is|are) "
    r"(?:\w+ ){0,5}?(?:ask|charge|sell|sold|selling|go|going|worth|get|price|cost|pay)|what price|worth|going rate|"
    r"ballpark|valuations?|estimates?|market value|(?:too|very) (?:much|low|cheap|high|expensive|dear)|"
    r"(?:a )?(?:fair|reasonable|good|right) price|reasonable|fair)\b"
    r"|\b(?:(?:por )?q(?:uan)?to (?:e que |que |eh que |acha[ms]? que |achas? |se |e q )*(?:\w+ ){0,2}?"
    r"(?:vale|valem|valera|valia|devo|peco|pedir|posso|podia|vendem?|pedem?|custam?|da|dao|anda|andam|costuma\w*)|"
    r"que (?:preco|valor)|qual (?:e |seria )?(?:o |um )?(?:bom |justo )?(?:preco|valor)|a quanto|"
    r"vale (?:quanto|a pena)|(?:e|acha[sm]?|parece) (?:muito|pouco|caro|barato|demais|demasiado|razoavel|justo|"
    r"um bom preco)|avalia\w*|estimativa|valor de mercado|cotacao)\b"
)


_ASKS_FIRST = patterns.compile(
    r"\b(?:how much|what (?:should|could|do|does|are|is)|q(?:uan)?to (?:e que |acha|vale|peco|devo)|"
    r"qual (?:e )?o preco)\b"
)
_QUESTIONS = patterns.compile(r"[^.!?;,\n]++\?")
_FEWEST = 2


def worth_asked(text: str) -> bool:
    """Return whether a message asks it, with a mark or a word of a question: `fair` alone is a condition."""
    said = text[:MOST_LETTERS]
    asked = [said] if _ASKS_FIRST.search(_FEES.sub(" ", fold(said))) else _QUESTIONS.findall(said)
    return any(len(each.split()) >= _FEWEST and asks_worth(each) for each in asked)


def asks_worth(text: str) -> bool:
    """Return whether a text asks what such an item is worth, or whether a price is too much."""
    return len(text) <= MOST_LETTERS and _ASKS.search(_FEES.sub(" ", fold(text))) is not None


_FEES = patterns.compile(
    r"\b(?:how much|what|que percentagem|q(?:uan)?to) (?:(?:of (?:it|that|the \w+)|e que|me|nos) )*"
    r"(?:(?:do|does|will|would) (?:you|u|they|the shop|this site)(?: guys)? (?:charge|take|keep|deduct)|"
    r"(?:do|does|will) (?:it|this|that|selling|listing) cost(?: me)? to|(?:cobra|leva|tira|fica|desconta)m?)\b"
)
"""The beginning of a question about what the shop takes, which is none about the worth: `how much do you charge`."""
