"""XPath on pages: the only module that knows lxml.

Its parser is that of libxml2, which has bounds of its own for depth and size; it gets no more than two megabytes of a
page. Nothing is fetched for it.
"""

from __future__ import annotations

from typing import Any

from dowse.model.errors import UserError

__all__ = ["check_xpath", "find_all", "text_of", "tree_of"]

_MOST_BYTES = 2_000_000


def tree_of(page: bytes) -> Any:
    """The root of a page in UTF-8; None where there is nothing."""
    etree = _lxml()
    parser = etree.HTMLParser(encoding="utf-8", no_network=True, huge_tree=False, remove_comments=True, recover=True)
    try:
        return etree.fromstring(page[:_MOST_BYTES], parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        return None


def find_all(place: Any, expression: str) -> list[Any]:
    """Elements, or texts and numbers, that an expression gives; nothing where it fails on this page."""
    etree = _lxml()
    try:
        found = place.xpath(expression)
    except (etree.XPathError, ValueError, RecursionError):
        return []
    return found if isinstance(found, list) else [found]


def text_of(found: Any, attribute: str = "") -> str | None:
    """What an element says, or its attribute; what an expression gave that is none."""
    if hasattr(found, "itertext"):
        return found.get(attribute) if attribute else " ".join(found.itertext())
    if isinstance(found, float):
        return f"{found:.15g}"
    return str(found)


def check_xpath(expression: str) -> str:
    """What is wrong with it. UserError without the extra ``objects``."""
    etree = _lxml()
    try:
        etree.XPath(expression)(etree.Element("html"))  # prefixes and functions are looked up when it is used
    except etree.XPathError as error:
        return f"this is no XPath expression: {error}"
    return ""


def _lxml() -> Any:
    try:
        from lxml import etree
    except ImportError:
        raise UserError("XPath needs lxml: install it with: pip install 'dowse[objects]'") from None
    return etree
