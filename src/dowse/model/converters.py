"""The converters that packages add: looked for once, when somebody first asks."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

from dowse.model.errors import TopicError
from dowse.model.plugin_ports import Converter
from dowse.model.plugins import find_plugins, missing_members

__all__ = ["Added", "added_converters", "added_types"]


@dataclass(frozen=True, slots=True)
class Added:
    """Converters by the media types that they take, and what is wrong with those that cannot be used."""

    by_type: dict[str, Converter] = field(default_factory=dict)
    faults: tuple[str, ...] = ()


@cache
def added_converters() -> Added:
    """Of two for one type, the first by name. One that cannot be used harms no other."""
    by_type: dict[str, Converter] = {}
    faults = []
    for plugin in find_plugins("converter").values():
        try:
            converter = plugin.make()
            missing = missing_members(converter, Converter)
            if missing:
                raise plugin.fault(TypeError(f"it has no {', '.join(missing)}"))
            for media in converter.types:
                by_type.setdefault(str(media).lower(), converter)
        except TopicError as fault:
            faults.append(fault.message)
        except Exception as error:  # somebody else's code
            faults.append(plugin.fault(error).message)
    return Added(by_type, tuple(faults))


def added_types() -> tuple[str, ...]:
    """The media types that they take."""
    return tuple(added_converters().by_type)
