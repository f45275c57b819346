"""Named places a run passes, so that a test can stop the process exactly there."""

from collections.abc import Callable

Point = Callable[[str], None]
"""Called with the name of the place. Production passes nothing on; a crash test kills its own process."""

BEFORE_SUBMIT = "submit.before_commit"
AFTER_SUBMIT = "submit.after_commit"
BEFORE_FINISH = "finish.before_commit"
AFTER_FINISH = "finish.after_commit"
AFTER_APPEND = "publish.after_append"
AFTER_PUBLISHED = "publish.after_published"


def pass_on(_name: str) -> None:
    """Pass every point without stopping."""
