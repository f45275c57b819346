"""Sentences of the services that answer requests, in the languages of the answers."""

from server.languages import Language

_SENTENCES: dict[str, dict[Language, str]] = {
    "id.ok": {
        "pt": "O documento é legível e os dados conferem.",
        "en": "The document is legible and its data hold.",
    },
    "id.unseen": {
        "pt": "As fotografias não foram lidas: os dados são os do pedido.",
        "en": "The pictures were not read: the details are those of the request.",
    },
    "id.quality": {
        "pt": "O documento não se lê bem. Envie fotografias nítidas da frente e do verso.",
        "en": "The document cannot be read well. Send sharp pictures of front and back.",
    },
    "id.authentic": {
        "pt": "As imagens não parecem ser do documento original.",
        "en": "The pictures do not seem to be of the original document.",
    },
    "id.type": {
        "pt": "Este tipo de documento não é aceite aqui.",
        "en": "This type of document is not accepted here.",
    },
    "id.digit": {
        "pt": "O número do documento não confere com o seu dígito de controlo.",
        "en": "The number of the document does not fit its check digit.",
    },
    "id.number": {"pt": "O número não é o esperado.", "en": "The number is not the expected one."},
    "id.name": {"pt": "O nome não é o esperado.", "en": "The name is not the expected one."},
    "id.no_name": {"pt": "Não se consegue ler o nome.", "en": "The name cannot be read."},
    "id.no_expiry": {
        "pt": "Não se consegue ler a data de validade.",
        "en": "The date of expiry cannot be read.",
    },
    "id.expired": {"pt": "O documento não está válido.", "en": "The document is not valid any more."},
    "id.mrz": {
        "pt": "Os dígitos de controlo da zona de leitura ótica não conferem.",
        "en": "The check digits of the machine-readable zone do not hold.",
    },
    "id.mrz_number": {
        "pt": "O número impresso não é o da zona de leitura ótica.",
        "en": "The printed number is not the one of the machine-readable zone.",
    },
    "id.mrz_name": {
        "pt": "O nome impresso não é o da zona de leitura ótica.",
        "en": "The printed name is not the one of the machine-readable zone.",
    },
    "id.mrz_birth": {
        "pt": "A data de nascimento impressa não é a da zona de leitura ótica.",
        "en": "The printed date of birth is not the one of the machine-readable zone.",
    },
    "id.mrz_expiry": {
        "pt": "A data de validade impressa não é a da zona de leitura ótica.",
        "en": "The printed date of expiry is not the one of the machine-readable zone.",
    },
}


def say_in(language: Language, key: str) -> str:
    """Return a sentence."""
    return _SENTENCES[key][language]
