"""What a wrapper finds on a page.

How much it looks at is bounded, but its patterns and expressions are the user's own, and may take long on a page made
for that: whoever runs this sets a limit of time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fnmatch import translate
from functools import cached_property, lru_cache
from typing import Any, Protocol

from dowse.model.normal.dates import read_date
from dowse.model.normal.prices import read_price
from dowse.model.normal.texts import one_line
from dowse.model.objects import FoundObject, Value
from dowse.model.url import Base, split
from dowse.parse.decode import in_utf8
from dowse.parse.html import Node, Tree, trees
from dowse.parse.objects import xpath
from dowse.parse.objects.items import MOST_ITEMS, MOST_TEXT
from dowse.parse.objects.wrapper import Rule, Wrapper
from dowse.parse.page import is_xhtml, parse_page

__all__ = ["find_value", "is_for", "read_wrapped"]

_MOST_PLACES = 50  # of one field
_LONGEST_TEXT = 100_000  # characters that a regular expression is run on


def is_for(wrapper: Wrapper, url: str) -> bool:
    """Is it for the page at a canonical URL?"""
    if not wrapper.url:
        return True
    try:
        parts = split(url)
    except (ValueError, TypeError):
        return False
    return _glob(wrapper.url).match(parts.path + parts.query) is not None


@lru_cache(64)
def _glob(pattern: str) -> re.Pattern[str]:
    return re.compile(translate(pattern.replace("[", "[[]").replace("?", "[?]")))


def read_wrapped(wrapper: Wrapper, body: bytes, content_type: str, url: str) -> Iterator[FoundObject]:
    """The objects that a wrapper finds on an HTML page, in order."""
    if not is_for(wrapper, url):
        return
    page, _ = in_utf8(body, content_type)
    text, left = MOST_TEXT, MOST_ITEMS
    base = Base(url)
    for place in _places(wrapper, page, xhtml=is_xhtml(page, content_type)):
        fields = _fields(wrapper, place, base)
        text -= sum(len(value) for value in fields.values() if isinstance(value, str))
        if text < 0 or left == 0:
            return
        if fields and all(name in fields for name in wrapper.required):
            left -= 1
            yield FoundObject(wrapper.kind, fields, url, wrapper.name)


class _Place(Protocol):
    """Where an object's fields are looked for."""

    def find(self, rule: Rule) -> Sequence[str | None]:
        """What is there, as text."""
        ...


class _InTree:
    def __init__(self, node: Node) -> None:
        self._node = node

    def find(self, rule: Rule) -> list[str | None]:
        nodes = self._node.css(rule.css)[: _MOST_PLACES if rule.all else 1] if rule.css else [self._node]
        return [_said(node, rule.attribute) for node in nodes]


def _said(node: Node, attribute: str) -> str | None:
    return node.attributes.get(attribute) if attribute else node.text(separator=" ")


class _ByPath:
    def __init__(self, element: Any) -> None:
        self._element = element

    def find(self, rule: Rule) -> list[str | None]:
        found = xpath.find_all(self._element, rule.xpath) if rule.xpath else [self._element]
        return [xpath.text_of(one, rule.attribute) for one in found[: _MOST_PLACES if rule.all else 1]]


class _WholePage:
    """Without items, a field may be in either tree, or in the text that a reader sees."""

    def __init__(self, page: bytes, tree: Tree, asks_xpath: bool) -> None:
        self._page = page
        self._tree = _InTree(tree.root) if tree.root is not None else None
        root = xpath.tree_of(page) if asks_xpath else None
        self._root = None if root is None else _ByPath(root)

    def find(self, rule: Rule) -> Sequence[str | None]:
        if not (rule.css or rule.xpath or rule.attribute):
            return [self._visible]
        tree = self._root if rule.xpath else self._tree
        return tree.find(rule) if tree is not None else []

    @cached_property
    def _visible(self) -> str:
        return parse_page(self._page, url="", content_type="text/html; charset=utf-8").text


def _places(wrapper: Wrapper, page: bytes, *, xhtml: bool) -> Iterator[_Place]:
    items = wrapper.items
    if items is None:
        for tree in trees(page, xhtml=xhtml):
            yield _WholePage(page, tree, wrapper.asks_xpath)
            return
    elif items.css:
        for tree in trees(page, xhtml=xhtml):
            yield from map(_InTree, tree.css(items.css)[:MOST_ITEMS])
    else:
        root = xpath.tree_of(page)
        found = xpath.find_all(root, items.xpath) if root is not None else []
        yield from (_ByPath(one) for one in found[:MOST_ITEMS] if hasattr(one, "xpath"))


def _fields(wrapper: Wrapper, place: _Place, base: Base) -> dict[str, Value]:
    fields: dict[str, Value] = {}
    for name, rule in wrapper.fields.items():
        texts = _texts(rule, place)
        value = _normal(rule, texts, base) if texts else None
        if value is not None:
            fields[name] = value
        if rule.as_ == "price" and value is not None and (price := read_price(texts[0])) and price.currency:
            fields.setdefault(f"{name}Currency", price.currency)
    return fields


def find_value(rule: Rule, node: Node, base: Base) -> Value | None:
    """What a rule finds in an element."""
    texts = _texts(rule, _InTree(node))
    return _normal(rule, texts, base) if texts else None


def _texts(rule: Rule, place: _Place) -> list[str]:
    return [one for text in place.find(rule) if text and (one := _matched(rule, text))]


def _matched(rule: Rule, text: str) -> str:
    if not rule.regex:
        return one_line(text)
    match = re.search(rule.regex, text[:_LONGEST_TEXT])
    if match is None:
        return ""
    return one_line((match[1] or "") if match.re.groups else match[0])


def _normal(rule: Rule, texts: list[str], base: Base) -> Value | None:
    if rule.as_ in ("date", "date-us"):
        return next((day for text in texts if (day := read_date(text, month_first=rule.as_ == "date-us"))), None)
    if rule.as_ in ("number", "price"):
        found = read_price(texts[0])
        return None if found is None else found.amount
    if rule.as_ == "url":
        texts = [base.join(text) or text for text in texts]
    elif rule.as_ == "place":
        texts = [", ".join(part for part in (own.strip(" .") for own in text.split(",")) if part) for text in texts]
    return one_line("; ".join(dict.fromkeys(texts))) or None
