"""Words of a clause whose number is no price that is asked: a count, a size, a weight, or what was paid."""

from __future__ import annotations

from server import patterns

OF_ANOTHER = patterns.compile(
    r"(?:\b(?:ciclos?|cycles?|kms?|quilomet\w+|kilomet\w+|minut[eo]s|disparos?|shots|clicks|saude|health|bateria|battery|"
    r"andar|floor|comandos?|controllers?)"
    r"(?:\s+(?:da|de|do|of|the|its|bateria|battery|sao|e|is|are|was|esta|estao|em|at|a|com|tem|mostra|diz|shows?|says))*"
    r"[\s:=]*+|\dx\s?|\d\s?x\s*)$"
)
"""The words before a number that count something else: `os ciclos da bateria sao 310`, `80 x 28`."""
MEASURED = patterns.compile(
    r"\b(?:altura|alto|alta|largura|larg[oa]|comprimento|comprid[oa]|profundidade|fundo|height|high|tall|width|wide|"
    r"depth|deep|length|long|medidas?|dimens\w+)\b"
)
"""Words of a clause whose `por` and `for` stand between sizes."""
WEIGHED = patterns.compile(
    r"\b(?:pesa|pesam|pesava|peso|weigh|weighs|weighed|weighing|weight|heavy|kg|kilos?|quilos?)\b"
)
"""Words of a clause whose pounds are a weight."""
PAID = patterns.compile(
    r"\b(?:pagu?ei|pago|paid|comprei|comprado|comprada|custou|custaram|cost|bought|nov[oa]s? (?:custa|vale|esta)|new|"
    r"vale|valem|worth|arranj\w+|repar\w+|repair\w*|desconto|discount|portes|envio|shipping)\b"
)
"""Words of a clause whose amount is not what is asked."""
