"""The things that messages say to go with an item, without those that a newer message keeps for the seller."""

from __future__ import annotations

from server.languages import fold
from server.loopos.answers.clauses.cut_texts import without_thing
from server.loopos.answers.clauses.talk import without_talk
from server.loopos.answers.wishes.things_taken_back import keeps_things, withdrawn_things
from server.loopos.tools.questions.texts.listed_things import ThingTopic, named_things, spell_with


class ToldThings:
    """What messages name of a topic, read one by one, the newest first."""

    def __init__(self, topic: ThingTopic, language: str) -> None:
        self._topic, self._language = topic, language
        self.named: list[str] = []
        self._gone: list[tuple[str, list[str]]] = []
        """What does not go with the item, and the words that say so."""

    def read(self, message: str, most: int) -> int:
        """Take the things that a message names, of at most so many clauses; return how many it names."""
        gone, others = withdrawn_things(message)
        said = ", ".join(others) if gone and keeps_things(message) else message
        found = named_things(self._topic, spell_with(without_talk(said)), self._language, most)
        count = len(found)
        for thing, own in self._gone:
            left = [each if (rest := without_thing(each, thing)) is None else rest for each in found]
            if left != found:
                self.named = [each for each in self.named if each not in own]
            found = [each for each in left if each]
        self._gone += [
            (each, [one for one in found if without_thing(one, each) is not None or each in fold(one)])
            for each in gone
        ]
        self.named = [*dict.fromkeys([*found, *self.named])]
        return count
