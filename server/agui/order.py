"""The snapshots that bring the messages of an AG-UI client into the server's order."""

from collections.abc import Iterable, Sequence


def snapshots_to(ids: Sequence[str], held: Iterable[str]) -> list[int]:
    """Return how many of these messages each snapshot has, so that a client that holds some comes to this order.

    The client leaves what it has where it has it and adds the rest at the end. Where that is another order, a first
    snapshot ends before the first message that is out of place: the client forgets what is not in it.
    """
    places = {each: place for place, each in enumerate(held)}
    known = [places.get(each, -1) for each in ids]
    first, last = 0, -1
    for place in known:
        if place <= last:
            break
        first, last = first + 1, place
    return [first, len(ids)] if any(place >= 0 for place in known[first:]) else [len(ids)]


def ids_with_result(held: dict[str, None], call_id: str, result_id: str) -> dict[str, None]:
    """Return the ids that the client holds with one more, of a result: the client puts it right after its call."""
    ids = [each for each in held if each != result_id]
    place = ids.index(call_id) + 1 if call_id in held else len(ids)
    return dict.fromkeys([*ids[:place], result_id, *ids[place:]])
