"""The checkpoint of a run, read as no code of the server reads it: by itself."""

from sqlalchemy import select

from server.store import Checkpoint, Store
from server.store.tables import checkpoints


async def checkpoint_of(store: Store, run_id: str) -> Checkpoint | None:
    """Return what a resume of a run would continue from."""
    columns = [checkpoints.c[name] for name in Checkpoint.__dataclass_fields__]
    found = await store.database.fetch(select(*columns).where(checkpoints.c.run_id == run_id))
    return Checkpoint(**found[0]._mapping) if found else None
