"""The services outside of an installation that get what people write."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TextReaders:
    """Which of them get it; with the demo model and without traces there is none."""

    model: bool = False
    """The provider of the model."""
    traces: bool = False
    """The collector of traces, where the operator wants content in them."""
