"""The tags of a page as the HTML standard's tokenizer finds them, in time that is linear in the page.

What looks like a tag inside a comment, a value or a script is none. Where that depends on the tree (is this ``<style>``
one of SVG's?), the caller says so.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["ATTRIBUTE", "MARK", "RAW", "TAG", "end_of_comment", "end_of_raw", "first_attributes"]

_BLANK = rb"\t\n\f\r "
_VALUE = rb"(?:\"[^\"]*+\"?+|'[^']*+'?+|[^%b>\"'][^%b>]*+|)" % (_BLANK, _BLANK)
_ATTRIBUTE = rb"[%b/]*+[^%b/>][^%b/>=]*+[%b]*+(?:=[%b]*+%b)?+" % (_BLANK, _BLANK, _BLANK, _BLANK, _BLANK, _VALUE)
ATTRIBUTE: Final = re.compile(_ATTRIBUTE)
TAG: Final = re.compile(rb"<(/?)([a-zA-Z][^%b/>]*+)((?:%b)*+)([%b/]*+)(>?)" % (_BLANK, _ATTRIBUTE, _BLANK))
"""Groups: is it an end tag, name, attributes, blanks and slashes, its end: without that, the page ends within it."""
MARK: Final = re.compile(rb"<[a-zA-Z/!?]")
RAW: Final = frozenset(b"script style xmp iframe noembed noframes noscript textarea title".split())
"""Elements whose text has no tags in it."""

_COMMENT_END = re.compile(rb"--!?>")
_SCRIPT_MARK = re.compile(rb"<!--|-->|<(/?)script[%b/>]" % _BLANK, re.IGNORECASE)
_RAW_ENDS = {name: re.compile(rb"</%b[%b/>]" % (name, _BLANK), re.IGNORECASE) for name in RAW}
_PLAIN, _ESCAPED, _ESCAPED_TWICE = range(3)  # within a script


def end_of_comment(page: bytes, at: int) -> int:
    """Where what begins with ``<!``, ``<?`` or a strange ``</`` at ``at`` ends, be it cut off; CDATA is left out."""
    if page.startswith(b"<!--", at):
        at += 4
        for short in (b">", b"->"):
            if page.startswith(short, at):
                return at + len(short)
        found = _COMMENT_END.search(page, at)
        return len(page) if found is None else found.end()
    end = page.find(b">", at)
    return len(page) if end < 0 else end + 1


def end_of_raw(page: bytes, name: bytes, at: int) -> int:
    """Where the end tag begins of an element of ``RAW`` whose text begins at ``at``; without one, the page's end."""
    if name != b"script":
        found = _RAW_ENDS[name].search(page, at)
        return len(page) if found is None else found.start()
    state = _PLAIN
    while (mark := _SCRIPT_MARK.search(page, at)) is not None:
        at = mark.end()
        if mark[1] is None:
            if mark[0] == b"-->":
                state = _PLAIN
            elif state == _PLAIN:
                state = _ESCAPED
                at -= 2  # "<!-->" is both
        elif mark[1]:
            if state != _ESCAPED_TWICE:
                return mark.start()
            state = _ESCAPED
        elif state == _ESCAPED:
            state = _ESCAPED_TWICE
    return len(page)


def first_attributes(attributes: bytes, most: int) -> bytes | None:
    """Only the first so many; None where there are no more than that."""
    for number, match in enumerate(ATTRIBUTE.finditer(attributes), 1):
        if number == most:
            return attributes[: match.end()] if match.end() < len(attributes) else None
    return None
