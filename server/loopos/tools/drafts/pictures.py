"""The pictures that the seller sent, put to the item that they are of."""

import logging
from functools import partial
from typing import Any

from server.errors import LoopwireError
from server.loopos.core import Core, Item, NewPicture
from server.loopos.pictures import Pictures, SentPicture
from server.loopos.rows import MOST_PICTURES
from server.loopos.tools.drafts.draft import Draft

log = logging.getLogger(__name__)


async def keep_pictures(draft: Draft, item: Item) -> Item:
    """Give the item the pictures of the conversation that no item has yet; returns it as it is then.

    A picture that cannot be given now is tried again with the next call: it keeps nobody from going on.
    """
    run = draft.run
    given: list[str] = run.private.get("pictured", [])
    if item.pictures is None or item.status == "withdrawn":
        return item
    for each in await run.resource(Pictures).of_messages(run.session_id, run.principal):
        if each.id in given or len(item.pictures or ()) >= MOST_PICTURES:
            continue
        try:
            item = await run.resource(Core).add_picture(
                item.id, run.principal, _new(draft, each), language=draft.language
            )
        except LoopwireError as error:
            log.warning("a picture was not given to its item: %s", error.code)
            break
        given = [*given, each.id]
        run.private["pictured"] = given
    return item


def _new(draft: Draft, picture: SentPicture) -> NewPicture:
    read = partial(_read, draft, picture.id)
    return NewPicture(picture.id, picture.width, picture.height, picture.media_type, read)


async def _read(draft: Draft, picture_id: str) -> Any:
    return (await draft.run.resource(Pictures).get(picture_id, draft.run.principal)).data
