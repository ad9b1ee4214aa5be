"""``dowse strategies``: what --strategy and --param take."""

from __future__ import annotations

from dowse.cli.terminal import say
from dowse.predict import STRATEGIES, describe, parameters

__all__ = ["strategies"]


def strategies() -> None:
    """List the strategies, with the parameters that --param sets."""
    width = max(map(len, STRATEGIES)) + 2
    for name in STRATEGIES:
        say(f"{name:{width}}{describe(name)}")
        own = ", ".join(f"{key}={'by form' if value is None else value}" for key, value in parameters(name).items())
        if own:
            say(f"{'':{width}}{own}")
