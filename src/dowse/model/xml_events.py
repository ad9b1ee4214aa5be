"""XML from strangers, as a stream of events: never a tree, never an entity, nothing from elsewhere.

The stdlib's expat reads it. A document that declares an entity is refused on the spot, so nothing is ever expanded or
loaded. What else there may be too much of (elements, nesting, text) whoever takes the events bounds: what it raises
ends the reading, and comes out of it.
"""

from __future__ import annotations

from collections.abc import Callable
from xml.parsers import expat

__all__ = ["XmlRefused", "local_name", "read_events"]

Start = Callable[[str, dict[str, str]], None]
Named = Callable[[str], None]


class XmlRefused(Exception):
    """The document is not one to be read on; says why."""


def read_events(body: bytes, start: Start, end: Named, text: Named) -> str:
    """Read a document to its end, or as far as it can be read; what was wrong with it, or "". Raises XmlRefused for an
    entity that is declared."""
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = text
    parser.EntityDeclHandler = _refuse_entity
    try:
        parser.Parse(body, True)  # all at once: a token that spans pieces is read again with each of them
    except expat.ExpatError as error:
        return f"broken XML: {error}"
    except (ValueError, LookupError) as error:  # an encoding expat or Python does not have
        return f"unreadable XML: {error}"
    return ""


def local_name(name: str) -> str:
    """Without its prefix, in lower case.

    >>> local_name("w:hyperLink"), local_name("p")
    ('hyperlink', 'p')
    """
    return name.rpartition(":")[2].lower()


def _refuse_entity(*_: object) -> None:
    raise XmlRefused("it declares an XML entity")
