"""Microdata and RDFa Lite: items in the attributes of HTML, found in one walk over the tree.

Both say the same with other attributes: an element begins an item (``itemscope``, ``typeof``), or has a property of the
item it stands in (``itemprop``, ``property``), or both. Of RDFa, what `RDFa Lite <https://www.w3.org/TR/rdfa-lite/>`_
has is read: ``vocab``, ``typeof``, ``property``, ``resource`` and prefixes, which search engines ask for. ``itemref``
is followed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from dowse.model.normal.texts import LONGEST, one_line
from dowse.model.url import Base
from dowse.parse.html import Node, Tree
from dowse.parse.objects.items import Item, bare

__all__ = ["annotated_items"]

_MARKED = "[itemscope],[itemtype],[itemprop],[typeof],[property]"
_MOST_MARKED = 20_000  # elements of a page
_MOST_REFERENCES = 100
_MOST_PARTS = 1_024  # of a text
_WHERE = {
    "audio": "src", "embed": "src", "iframe": "src", "img": "src", "source": "src", "track": "src", "video": "src",
    "a": "href", "area": "href", "link": "href", "object": "data", "data": "value", "meter": "value",
    "time": "datetime",
}  # fmt: skip
"""element -> the attribute that has its value; of all others it is their text"""
_ADDRESSES = ("src", "href", "data")
_UNREAD = frozenset(("script", "style", "template", "noscript"))
_APART = frozenset(("br", "p", "div", "li", "td", "th", "tr", "dd", "dt", "h1", "h2", "h3", "h4", "h5", "h6"))
_TEXT = "-text"
_SHARE = ("og:", "fb:", "twitter:", "article:")  # properties of OpenGraph, which are none of an item


def annotated_items(tree: Tree, url: str) -> list[Item]:
    """The items of a page in document order."""
    walk = _Walk(tree, url)
    if tree.root is not None and walk.marked:
        walk.run(tree.root)
    for item, names in walk.references:
        for name in names:
            other = walk.by_id.get(name)
            for key, values in other.properties.items() if other is not None else ():
                for value in values:
                    item.add(key, value)
    return walk.found


@dataclass(slots=True)
class _Open:
    """A marked element whose end was not met yet."""

    node: int
    text_from: int = -1  # where its text begins, if that is a value
    gives_text: list[tuple[Item, str]] = field(default_factory=list)
    left: list[list[_Scope]] = field(default_factory=list)  # stacks that lose their last scope at its end


@dataclass(slots=True)
class _Scope:
    item: Item
    is_seen_through: bool = False  # what is inside of an element that an ``itemref`` names belongs to others, too


class _Walk:
    def __init__(self, tree: Tree, url: str) -> None:
        self.found: list[Item] = []
        self.references: list[tuple[Item, list[str]]] = []
        self.by_id: dict[str, Item] = {}
        marked = tree.css(_MARKED)[:_MOST_MARKED]
        self.marked = {node.mem_id for node in marked}
        wanted = [name for node in tree.css("[itemref]") for name in (node.attributes.get("itemref") or "").split()]
        self._wanted = frozenset(wanted[:_MOST_REFERENCES])
        if self._wanted:
            self.marked.update(node.mem_id for node in tree.css("[id]") if node.attributes.get("id") in self._wanted)
        base = tree.css_first("base[href]")
        own = Base(url or "http://unknown.invalid/")
        href = own.join(base.attributes.get("href") or "") if base is not None else None
        self._base = own if href is None else Base(href)
        self._parts: list[str] = []
        self._reading = 0  # open elements whose text is a value
        self._micro: list[_Scope] = []
        self._rdfa: list[_Scope] = []
        self._open: list[_Open] = []

    def run(self, node: Node) -> None:
        """Visit every node once, without recursion."""
        above: list[Node] = []
        while True:
            tag = node.tag or ""
            if tag == _TEXT:
                if self._reading:
                    self._write(node.text_content or "")
            else:
                if self._reading and tag in _APART:
                    self._write(" ")
                if node.mem_id in self.marked:
                    self._enter(node, tag)
                child = None if tag in _UNREAD else node.first_child
                if child is not None:
                    above.append(node)
                    node = child
                    continue
                self._leave(node)
            following = node.next
            while following is None:
                if not above:
                    return
                node = above.pop()
                self._leave(node)
                following = node.next
            node = following

    def _write(self, text: str) -> None:
        if not text.isspace():
            self._parts.append(text[: 4 * LONGEST])
        elif self._parts and self._parts[-1] != " ":
            self._parts.append(" ")

    def _enter(self, node: Node, tag: str) -> None:
        attributes = node.attributes
        opened = _Open(node.mem_id)
        own_id = attributes.get("id") or ""
        if own_id in self._wanted and own_id not in self.by_id:
            self.by_id[own_id] = Item("microdata")
            self._begin(self._micro, _Scope(self.by_id[own_id], True), opened)
        if "itemscope" in attributes or "itemtype" in attributes or "itemprop" in attributes:
            is_item = "itemscope" in attributes or "itemtype" in attributes
            item = Item("microdata", id=attributes.get("itemid") or "") if is_item else None
            names = [bare(name) for name in (attributes.get("itemprop") or "").split()]
            self._take(self._micro, item, (attributes.get("itemtype") or "").split(), names, node, opened)
            if item is not None and attributes.get("itemref"):
                self.references.append((item, (attributes.get("itemref") or "").split()[:_MOST_REFERENCES]))
        if "typeof" in attributes or "property" in attributes:
            item = Item("rdfa", id=attributes.get("resource") or "") if "typeof" in attributes else None
            told = (attributes.get("property") or "").split()
            names = [bare(name) for name in told if not name.lower().startswith(_SHARE)]
            self._take(self._rdfa, item, (attributes.get("typeof") or "").split(), names, node, opened)
        self._open.append(opened)
        if opened.gives_text:
            opened.text_from = len(self._parts)
            self._reading += 1

    def _take(
        self, scopes: list[_Scope], item: Item | None, types: list[str], names: list[str], node: Node, opened: _Open
    ) -> None:
        """An element with an item, or properties of the one it stands in."""
        owners: list[Item] = []
        for scope in reversed(scopes):
            owners.append(scope.item)
            if not scope.is_seen_through:
                break
        if item is not None:
            item.typed(types)
            self.found.append(item)
        value = item if item is not None or not owners or not names else self._value(node)
        for owner in owners:
            for name in names:
                if value is None:
                    opened.gives_text.append((owner, name))
                else:
                    owner.add(name, value)
        if item is not None:
            self._begin(scopes, _Scope(item), opened)

    def _begin(self, scopes: list[_Scope], scope: _Scope, opened: _Open) -> None:
        scopes.append(scope)
        opened.left.append(scopes)

    def _value(self, node: Node) -> str | None:
        """What an attribute says is the value; None: the text is."""
        attributes: Mapping[str, str | None] = node.attributes
        content = attributes.get("content")
        if content is not None:
            return content
        where = _WHERE.get(node.tag or "")
        if where is None:
            return attributes.get("resource")
        told = attributes.get(where)
        if told is None:
            return None
        return (self._base.join(told) or told) if where in _ADDRESSES else told

    def _leave(self, node: Node) -> None:
        if not self._open or self._open[-1].node != node.mem_id:
            return
        opened = self._open.pop()
        for scopes in opened.left:
            scopes.pop()
        if opened.gives_text:
            self._reading -= 1
            text = self._read_from(opened.text_from)
            for owner, name in opened.gives_text:
                owner.add(name, text)

    def _read_from(self, start: int) -> str:
        """The text behind a place, as far as it may count: elements may lie in one another."""
        size, end = 0, start
        while end < len(self._parts) and end < start + _MOST_PARTS and size < 4 * LONGEST:
            size += len(self._parts[end])
            end += 1
        return one_line("".join(self._parts[start:end]))
