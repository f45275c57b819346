"""The command that prints the secret with which the callbacks of each app are signed."""

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
