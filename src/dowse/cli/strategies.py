"""``dowse strategies``: what --strategy and --param take."""

from __future__ import annotations

from dowse.cli.terminal import say
from dowse.model.errors import TopicError
from dowse.model.plugins import find_plugins
from dowse.model.shown import shown_line
from dowse.predict import STRATEGIES, describe, parameters

__all__ = ["strategies"]


def strategies() -> None:
    """List the strategies, with the parameters that --param sets."""
    added = find_plugins("strategy")
    width = max(map(len, [*STRATEGIES, *added])) + 2
    for name in STRATEGIES:
        _tell_strategy(name, width)
    for name, plugin in added.items():
        if name in STRATEGIES:
            say(f"{name:{width}}(of {plugin.package}: not used, Dowse has one of this name)")
            continue
        try:
            _tell_strategy(name, width, f" ({plugin.package})")
        except TopicError as error:
            say(shown_line(f"{name:{width}}{error}"))


def _tell_strategy(name: str, width: int, package: str = "") -> None:
    own = ", ".join(f"{key}={'by form' if value is None else value}" for key, value in parameters(name).items())
    say(shown_line(f"{name:{width}}{describe(name)}{package}"))
    if own:
        say(shown_line(f"{'':{width}}{own}"))
