"""``dowse plugins``: what installed packages add to Dowse."""

from __future__ import annotations

from dowse.cli.terminal import say
from dowse.model.errors import TopicError
from dowse.model.plugins import KINDS, Plugin, find_plugins, first_sentence
from dowse.model.shown import shown_line

__all__ = ["plugins"]


def plugins() -> None:
    """List what installed packages add: strategies, judges, converters, search engines, extractors."""
    found = [plugin for kind in KINDS for plugin in find_plugins(kind).values()]
    if not found:
        say("no installed package adds anything to Dowse (see docs/extending.md)")
    for plugin in found:
        say(shown_line(f"{plugin.kind} {plugin.name} ({plugin.package}): {_told(plugin)}"))


def _told(plugin: Plugin) -> str:
    try:
        return first_sentence(plugin.load()) or "no description"
    except TopicError as error:
        return str(error)
