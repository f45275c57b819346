"""Show what the callbacks of each app are signed with, for whoever receives them."""

from collections.abc import Callable

from server import apps
from server.callbacks import Secrets
from server.settings import Settings


def run(settings: Settings, point: Callable[[str], None] | None) -> int:
    """Print one line an app."""
    known = apps.load(settings.apps)
    secrets = Secrets(known, settings.secret)
    for name in known:
        print(f"{name} {secrets.newest(name)}")
    return 0
