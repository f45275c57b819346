"""The questions that one message joins: `how long is the warranty and what's it worth?`."""

from collections.abc import Sequence

from server import patterns

_MOST_LETTERS = 400
_OPENS = (
    r"(?:how|what|whats|what['’]s|who|whos|who['’]s|when|where|why|which|do|does|did|is|are|can|could|will|would|should|"
    r"must|quanto|quantos|quantas|quem|quando|onde|como|qual|quais|porque|porqu[eê]|por que|o que|posso|podem|pode|"
    r"preciso|tenho de|tenho que|h[aá]|aceitam|fazem|cobram|levam|ficam|v[eê]m|vem|vendem|pagam|recebo|pago|envio|"
    r"enviam|d[aá] para|(?:isto|isso) [eé]|[eé] preciso|demora|vou)"
)
_JOINTS = patterns.compile(
    rf"(?:\s*[,;&]\s*(?:(?:and|e|but|mas|also|plus|or|ou)\s+)?|\s+(?:and|e|but|mas|plus|or|ou)\s+)"
    rf"(?:(?:also|then|tamb[eé]m|depois|j[aá] agora)\s+)?(?={_OPENS}\b)|(?<=\?)\s*(?=\S)",
    patterns.IGNORECASE,
)
_OPENING = patterns.compile(
    rf"\W*(?:(?:e|and|mas|but|ok|okay|so|ent[aã]o|also|ol[aá]|hi|hey|hello|desculpe|sorry|por|(?:just )?wondering|"
    rf"quero saber|queria saber|j[aá] agora)\W+)*+{_OPENS}\b",
    patterns.IGNORECASE,
)


def joined_questions(text: str) -> list[str]:
    """Return the questions of a message that joins at least two and says nothing else; none of any other message."""
    said = text.strip()
    if not said.endswith("?") or len(said) > _MOST_LETTERS:
        said = "" if len(said) > _MOST_LETTERS else f"{said}?"
    parts = [each.strip() for each in _JOINTS.split(said)]
    parts = [each for each in parts if each.strip("? ")]
    asks = len(parts) > 1 and all(_OPENING.match(each) for each in parts)
    return [f"{each.rstrip(' ?,;.')}?" for each in parts] if asks else []


_POINTS_BACK = patterns.compile(r"(?:\b(?:it|them)|-l?[oa]s?)\W*$", patterns.IGNORECASE)


def points_back(question: str) -> bool:
    """Return whether a question is about what one before it names: `who sees my chat and can I delete it?`."""
    return _POINTS_BACK.search(question) is not None


def put_before(answers: Sequence[str], said: str, left: Sequence[str]) -> str:
    """Return a reply behind these answers, each told once; without the sentences that are `left` out of it."""
    for each in filter(None, (*answers, *left)):
        said = said.replace(each, "")
    told = list[str]()
    for each in patterns.split(r"(?<=[.!?])\s+", " ".join(answers)):
        told += [each] * (each not in told)
    return " ".join([*told, *said.split()])
