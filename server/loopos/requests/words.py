"""Sentences of the services that answer requests, in the languages of the answers."""

from server.languages import Language

_SENTENCES: dict[str, dict[Language, str]] = {
    "id.ok": {
        "pt": "O documento é legível e os dados conferem.",
        "en": "The document is legible and its data hold.",
        "es": "El documento es legible y sus datos son correctos.",
        "fr": "Le document est lisible et ses données concordent.",
        "de": "Das Dokument ist lesbar und die Angaben stimmen.",
    },
    "id.ok_told": {
        "pt": "Os dados escritos nas mensagens do pedido conferem; nenhuma fotografia foi lida.",
        "en": "The details written in the request's messages hold; no picture was read.",
        "es": "Los datos escritos en los mensajes de la petición son correctos; no se ha leído ninguna foto.",
        "fr": "Les données des messages de la demande concordent, mais aucune photo n’a été lue.",
        "de": "Die Angaben in den Nachrichten der Anfrage stimmen; kein Foto wurde gelesen.",
    },
    "id.unread": {
        "pt": "O documento não foi lido: o modelo de demonstração não vê fotografias.",
        "en": "The document was not read: the demo model sees no pictures.",
        "es": "El documento no se ha leído: el modelo de demostración no ve fotos.",
        "fr": "Le document n’a pas été lu\N{NO-BREAK SPACE}: le modèle de démonstration ne voit pas de photos.",
        "de": "Das Dokument wurde nicht gelesen: Das Demo-Modell sieht keine Fotos.",
    },
    "id.unread_digit_holds": {
        "pt": "Só se verificou o número do pedido: o dígito de controlo confere.",
        "en": "Only the number of the request was checked: its check digit holds.",
        "es": "Solo se ha comprobado el número de la petición: su dígito de control es correcto.",
        "fr": "Seul le numéro de la demande a été vérifié\N{NO-BREAK SPACE}: son chiffre de contrôle concorde.",
        "de": "Nur die Nummer der Anfrage wurde geprüft: Ihre Prüfziffer stimmt.",
    },
    "id.unread_digit_fails": {
        "pt": "Só se verificou o número do pedido: o dígito de controlo não confere.",
        "en": "Only the number of the request was checked: its check digit does not hold.",
        "es": "Solo se ha comprobado el número de la petición: su dígito de control no es correcto.",
        "fr": "Seul le numéro de la demande a été vérifié\N{NO-BREAK SPACE}: son chiffre de contrôle ne concorde pas.",
        "de": "Nur die Nummer der Anfrage wurde geprüft: Ihre Prüfziffer stimmt nicht.",
    },
    "id.unread_all": {
        "pt": "Nada foi verificado.",
        "en": "Nothing was checked.",
        "es": "No se ha comprobado nada.",
        "fr": "Rien n’a été vérifié.",
        "de": "Es wurde nichts geprüft.",
    },
    "id.unseen": {
        "pt": "As fotografias não foram lidas: os dados são os das mensagens do pedido.",
        "en": "The pictures were not read: the details are those of the request's messages.",
        "es": "No se han leído las fotos: los datos son los de los mensajes de la petición.",
        "fr": "Les photos n’ont pas été lues\N{NO-BREAK SPACE}: les données sont celles des messages de la demande.",
        "de": "Die Fotos wurden nicht gelesen: Die Angaben sind die aus den Nachrichten der Anfrage.",
    },
    "id.demo": {
        "pt": "Resposta do modelo de demonstração, por regras simples.",
        "en": "Answer of the demo model, by simple rules.",
        "es": "Respuesta del modelo de demostración, por reglas sencillas.",
        "fr": "Réponse du modèle de démonstration, selon des règles simples.",
        "de": "Antwort des Demo-Modells, nach einfachen Regeln.",
    },
    "id.quality": {
        "pt": "O documento não se lê bem. Envie fotografias nítidas da frente e do verso.",
        "en": "The document cannot be read well. Send sharp pictures of front and back.",
        "es": "El documento no se lee bien. Envía fotos nítidas del anverso y del reverso.",
        "fr": "Le document se lit mal. Envoie des photos nettes du recto et du verso.",
        "de": "Das Dokument ist schlecht zu lesen. Sende scharfe Fotos von Vorder- und Rückseite.",
    },
    "id.zone": {
        "pt": "A zona de leitura ótica não se lê bem. Envie uma fotografia nítida em que se veja inteira.",
        "en": "The machine-readable zone cannot be read well. Send a sharp picture that shows all of it.",
        "es": "La zona de lectura mecánica no se lee bien. Envía una foto nítida en la que se vea entera.",
        "fr": "La zone de lecture automatique se lit mal. Envoie une photo nette où elle se voit en entier.",
        "de": "Die maschinenlesbare Zone ist schlecht zu lesen. Sende ein scharfes Foto, das sie ganz zeigt.",
    },
    "id.zone_missing": {
        "pt": "Falta nas mensagens do pedido a zona de leitura ótica: um passaporte precisa das suas duas linhas.",
        "en": "The machine-readable zone is missing in the request's messages: a passport needs both of its lines.",
        "es": "Falta en los mensajes de la petición la zona de lectura mecánica: un pasaporte necesita sus dos líneas.",
        "fr": "La zone de lecture automatique manque dans les messages de la demande\N{NO-BREAK SPACE}: un passeport "
        "a besoin de ses deux lignes.",
        "de": "In den Nachrichten der Anfrage fehlt die maschinenlesbare Zone: Ein Pass braucht ihre beiden Zeilen.",
    },
    "id.authentic": {
        "pt": "As imagens não parecem ser do documento original.",
        "en": "The pictures do not seem to be of the original document.",
        "es": "Las imágenes no parecen ser del documento original.",
        "fr": "Les images ne semblent pas être celles du document original.",
        "de": "Die Bilder scheinen nicht vom Originaldokument zu sein.",
    },
    "id.type": {
        "pt": "Este tipo de documento não é aceite aqui.",
        "en": "This type of document is not accepted here.",
        "es": "Este tipo de documento no se acepta aquí.",
        "fr": "Ce type de document n’est pas accepté ici.",
        "de": "Diese Art von Dokument wird hier nicht angenommen.",
    },
    "id.digit": {
        "pt": "O número do documento não confere com o seu dígito de controlo.",
        "en": "The number of the document does not fit its check digit.",
        "es": "El número del documento no concuerda con su dígito de control.",
        "fr": "Le numéro du document ne concorde pas avec son chiffre de contrôle.",
        "de": "Die Nummer des Dokuments passt nicht zu ihrer Prüfziffer.",
    },
    "id.number": {
        "pt": "O número não é o esperado.",
        "en": "The number is not the expected one.",
        "es": "El número no es el esperado.",
        "fr": "Le numéro n’est pas celui attendu.",
        "de": "Die Nummer ist nicht die erwartete.",
    },
    "id.name": {
        "pt": "O nome não é o esperado.",
        "en": "The name is not the expected one.",
        "es": "El nombre no es el esperado.",
        "fr": "Le nom n’est pas celui attendu.",
        "de": "Der Name ist nicht der erwartete.",
    },
    "id.no_name": {
        "pt": "Não se consegue ler o nome.",
        "en": "The name cannot be read.",
        "es": "No se puede leer el nombre.",
        "fr": "Le nom est illisible.",
        "de": "Der Name lässt sich nicht lesen.",
    },
    "id.no_expiry": {
        "pt": "Não se consegue ler a data de validade.",
        "en": "The date of expiry cannot be read.",
        "es": "No se puede leer la fecha de caducidad.",
        "fr": "La date d’expiration est illisible.",
        "de": "Das Ablaufdatum lässt sich nicht lesen.",
    },
    "id.expired": {
        "pt": "O documento não está válido.",
        "en": "The document is not valid any more.",
        "es": "El documento ya no está vigente.",
        "fr": "Le document n’est plus valable.",
        "de": "Das Dokument ist nicht mehr gültig.",
    },
    "id.mrz": {
        "pt": "Os dígitos de controlo da zona de leitura ótica não conferem.",
        "en": "The check digits of the machine-readable zone do not hold.",
        "es": "Los dígitos de control de la zona de lectura mecánica no concuerdan.",
        "fr": "Les chiffres de contrôle de la zone de lecture automatique ne concordent pas.",
        "de": "Die Prüfziffern der maschinenlesbaren Zone stimmen nicht.",
    },
    "id.mrz_number": {
        "pt": "O número impresso não é o da zona de leitura ótica.",
        "en": "The printed number is not the one of the machine-readable zone.",
        "es": "El número impreso no es el de la zona de lectura mecánica.",
        "fr": "Le numéro imprimé n’est pas celui de la zone de lecture automatique.",
        "de": "Die gedruckte Nummer ist nicht die der maschinenlesbaren Zone.",
    },
    "id.mrz_name": {
        "pt": "O nome impresso não é o da zona de leitura ótica.",
        "en": "The printed name is not the one of the machine-readable zone.",
        "es": "El nombre impreso no es el de la zona de lectura mecánica.",
        "fr": "Le nom imprimé n’est pas celui de la zone de lecture automatique.",
        "de": "Der gedruckte Name ist nicht der der maschinenlesbaren Zone.",
    },
    "id.mrz_birth": {
        "pt": "A data de nascimento impressa não é a da zona de leitura ótica.",
        "en": "The printed date of birth is not the one of the machine-readable zone.",
        "es": "La fecha de nacimiento impresa no es la de la zona de lectura mecánica.",
        "fr": "La date de naissance imprimée n’est pas celle de la zone de lecture automatique.",
        "de": "Das gedruckte Geburtsdatum ist nicht das der maschinenlesbaren Zone.",
    },
    "id.mrz_expiry": {
        "pt": "A data de validade impressa não é a da zona de leitura ótica.",
        "en": "The printed date of expiry is not the one of the machine-readable zone.",
        "es": "La fecha de caducidad impresa no es la de la zona de lectura mecánica.",
        "fr": "La date d’expiration imprimée n’est pas celle de la zone de lecture automatique.",
        "de": "Das gedruckte Ablaufdatum ist nicht das der maschinenlesbaren Zone.",
    },
}


def say_in(language: Language, key: str) -> str:
    """Return a sentence."""
    said = _SENTENCES[key]
    return said.get(language, said["en"])
