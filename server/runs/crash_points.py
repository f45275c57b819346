"""Named places a run passes, so that a test can stop the process exactly there."""

from collections.abc import Callable

Point = Callable[[str], None]
"""Called with the name of the place that the run has reached. In production it is `pass_on`, which does nothing; a
crash test gives a function that kills its own process."""

BEFORE_SUBMIT = "submit.before_commit"
AFTER_SUBMIT = "submit.after_commit"
BEFORE_FINISH = "finish.before_commit"
AFTER_FINISH = "finish.after_commit"
AFTER_APPEND = "publish.after_append"
AFTER_PUBLISHED = "publish.after_published"


def pass_on(_name: str) -> None:
    """Do nothing, so that the run goes on."""
