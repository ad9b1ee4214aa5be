"""The structured data of a page: which types it has, and what it states of them."""

from __future__ import annotations

from dowse.model.facts import object_type
from dowse.model.objects import Stated
from dowse.model.sniffing import true_type
from dowse.parse.decode import in_utf8
from dowse.parse.documents import reader_of
from dowse.parse.html import Tree, trees
from dowse.parse.objects.annotated import annotated_items
from dowse.parse.objects.flatten import Flattener
from dowse.parse.objects.items import LONGEST_NAME, Item
from dowse.parse.objects.json_ld import json_ld_items
from dowse.parse.objects.opengraph import opengraph_item
from dowse.parse.page import is_plain, is_xhtml

__all__ = ["read_stated"]

_MOST_TYPES = 500
_MOST_METAS = 500
_IN_ATTRIBUTES = (b"itemtype", b"itemscope", b"typeof")
_MARKS = (b"ld+json", b"og:type", *_IN_ATTRIBUTES)
_NOTHING = Stated()


def read_stated(body: bytes, content_type: str = "", url: str = "", *, parts: bool = False) -> Stated:
    """What a page states. ``parts``: also what only tells of another thing, such as the address of a place, and a thing
    of several types once as each of them. Never raises; what is too long, too deep or no JSON is passed over."""
    if is_plain(content_type) or reader_of(true_type(content_type, body)) is not None:
        return _NOTHING
    page, _ = in_utf8(body, content_type)
    lowered = page.lower()
    if not any(mark in lowered for mark in _MARKS):  # as on most pages: no need for a tree
        return _NOTHING
    in_attributes = any(mark in lowered for mark in _IN_ATTRIBUTES)
    scripts: list[str] = []
    items: list[Item] = []
    metas: list[tuple[str, str]] = []
    for tree in trees(page, xhtml=is_xhtml(page, content_type)):
        scripts += [node.text() for node in tree.css("script[type*='ld+json' i]")]
        metas += _metas(tree)
        if in_attributes:
            items += annotated_items(tree, url)
    shared = opengraph_item(metas[:_MOST_METAS])
    found = [*json_ld_items(scripts), *items, *([shared] if shared is not None else [])]
    return Stated(_types(found), tuple(Flattener(found, url).objects(parts=parts)))


def _metas(tree: Tree) -> list[tuple[str, str]]:
    found = []
    for node in tree.css("meta[property],meta[name]")[:_MOST_METAS]:
        attributes = node.attributes
        found.append((attributes.get("property") or attributes.get("name") or "", attributes.get("content") or ""))
    return found


def _types(items: list[Item]) -> frozenset[str]:
    types: dict[str, None] = {}
    for name in (name for item in items for name in item.types):
        if len(name) <= LONGEST_NAME and len(types) < _MOST_TYPES and (known := object_type(name)):
            types[known] = None
    return frozenset(types)
