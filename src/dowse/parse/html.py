"""HTML to a :class:`Document` in one walk over the tree (the only module that knows the HTML library).

The walk keeps a stack of open elements and three lists. ``parts`` collects visible text, with a separator where a
block begins or ends, so the text between two separators is a *paragraph*: what CSS calls an inline run, the nearest
block's own text. A link remembers the paragraph it stands in. Everything else (white space, lower case, words) is done
on the joined string, not per node: calls into Python per node are what a parser's time is made of. Of the tree itself
an :class:`~dowse.parse.outline.Outline` is left: which block lies in which, and what lines it has.

Where the compiled core is there, it finds what the walk would, without a tree, in most pages. Where it is not sure, the
tree is made and walked all the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html.entities import html5

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser, LexborNode, SelectolaxError, create_tag

from dowse.compiled import core
from dowse.model.words import WordLines
from dowse.parse.bounds import bounded
from dowse.parse.document import Document, RawLink
from dowse.parse.head import BASE, HTML, LINK, META, TITLE, Head, directives
from dowse.parse.outline import FIRST_LINE, TAGS, Outline

__all__ = ["Node", "Tree", "check_css", "parse_html", "trees"]

Tree = LexborHTMLParser
Node = LexborNode

_MAX_ANCHOR = 400
_MOST_PARTS = 1_024  # of an anchor: of two, one has a character at least, so these are longer than it may be
_MOST_AROUND = 8  # links around one whose words are looked for in what is hidden: each looks through all of it
_MAX_REL = 100
_SEPARATOR = "\0"  # the only character that is never in a page's text
_OPTIONS = int(LexborDocumentOptions.WO_EVENTS)
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_HIDDEN_QUERY = "[hidden],[style*=none i],[style*=hidden i]"


# What the walk does at an element. Plain integers: they are compared at every node. Below 0: a block element, by its
# number in the outline's tags.
_LINES, _ANCHOR, _HEAD = 1, 2, 3  # and HTML
_LEAVES = _SKIPPED = 5  # from here on: what is inside is not walked
_IMAGE, _AREA, _FRAME, _BREAK = range(BASE + 1, 14)
_NAMES = {
    # on lines of their own, but no region of a page: row groups, which parsers add to every table, and form fields
    _LINES: "hr optgroup option select tbody textarea tfoot thead xmp",
    _ANCHOR: "a",
    _HEAD: "head",
    HTML: "html",
    _SKIPPED: "script style noscript template noframes noembed applet canvas audio video datalist",
    TITLE: "title",
    META: "meta",
    LINK: "link",
    BASE: "base",
    _IMAGE: "img",
    _AREA: "area",
    _FRAME: "frame iframe",
    _BREAK: "br",
}
_KIND_OF_NAME = {name: kind for kind, names in _NAMES.items() for name in names.split()}
_KIND_OF_NAME |= {name: -number for number, name in enumerate(TAGS) if number}
_KINDS: dict[int, int] = {create_tag(name).tag_id: kind for name, kind in _KIND_OF_NAME.items()}
_TABLE = core.tags(_KIND_OF_NAME) if core is not None else None
_TEXT_ID = 2  # tag ids of the library: text, comment and the like come first


def parse_html(pieces: Sequence[bytes], *, url: str, charset: str = "", robots_tag: str | None = None) -> Document:
    """Parse HTML that is :func:`~dowse.parse.bounds.bounded`, so that time is bounded by the page's size whatever its
    markup. Never raises."""
    walk = _read(pieces[0])
    for piece in pieces[1:]:
        walk.go_on(_read(piece))
    head = walk.head
    noindex, nofollow = directives(robots_tag, head.robots)
    return Document(
        url=url,
        title=head.title,
        visible=walk.text,
        lines=WordLines(b"%b\n%b" % (head.title.encode("utf-8", "replace"), walk.text)),
        links=walk.links,
        outline=walk.outline,
        charset=charset,
        lang=head.lang,
        base=head.base,
        canonical=head.canonical,
        refresh=head.refresh,
        feed=head.feed,
        noindex=noindex,
        nofollow=nofollow,
    )


def _read(page: bytes) -> _Walk:
    """Of the tree, which takes ten times the page's memory, nothing is left after this."""
    return _told(page) or _walked(LexborHTMLParser(page, options=_OPTIONS, scripting=True))


def _walked(tree: LexborHTMLParser) -> _Walk:
    walk = _Walk(_hidden(tree))
    root = tree.root
    if root is not None:
        walk.run(root)
    walk.outline.ends[0] = walk.breaks + (walk.parts[-1] is not _SEPARATOR)
    text = "".join(walk.parts[1:]).replace("\n", " ").replace(_SEPARATOR, "\n")
    walk.text = text.encode("utf-8", "replace")
    return walk


def _told(page: bytes) -> _Walk | None:
    """What the compiled core finds without a tree; None where it is not there, or not sure."""
    found = None if core is None else core.read(page, _TABLE, _HIDDEN_STYLE.search, RawLink, html5)
    if found is None:
        return None
    walk = _Walk(frozenset())
    walk.text, walk.links, columns, heads = found
    walk.outline = Outline(*columns)
    for kind, attributes, text in heads:
        walk.head.enter(kind, attributes, text)
    return walk


def trees(page: bytes, *, xhtml: bool = False) -> Iterator[Tree]:
    """The tree of a page in UTF-8; of one whose tree would be too dear, that of each of its pieces."""
    for piece in bounded(page, xhtml=xhtml):
        yield LexborHTMLParser(piece, options=_OPTIONS, scripting=True)


def check_css(selector: str) -> str:
    """What is wrong with a CSS selector."""
    try:
        LexborHTMLParser("<p>").css(selector)
    except (SelectolaxError, ValueError):
        return "this is no CSS selector"
    return ""


def _hidden(tree: LexborHTMLParser) -> frozenset[int]:
    """Ids of the elements hidden by attribute or inline style."""
    found = []
    for node in tree.css(_HIDDEN_QUERY):
        attributes = node.attributes
        if "hidden" in attributes or _HIDDEN_STYLE.search(attributes.get("style") or ""):
            found.append(node.mem_id)
    return frozenset(found)


_OpenLink = tuple[dict[str, str | None], int, int, list[str], int]
"""An ``<a href>`` not yet closed: attributes, where its text began, its paragraph, alt texts met inside, element."""


class _Walk:
    """The state of one walk; see the module's docstring."""

    __slots__ = ("breaks", "element", "head", "hidden", "links", "open_links", "outline", "parts", "text")

    def __init__(self, hidden: frozenset[int]) -> None:
        self.hidden = hidden
        self.parts: list[str] = [_SEPARATOR]  # text pieces and separators
        self.breaks = 1  # the number of the paragraph being written; 0 is the title
        self.outline = Outline()
        self.element = 0  # the innermost open one of the outline
        self.links: list[RawLink] = []
        self.open_links: list[_OpenLink | None] = []
        self.text = b""  # of all parts, one line a paragraph
        self.head = Head()

    def run(self, root: LexborNode) -> None:
        """Visit every node once, in document order, without recursion.

        Hot: a page has a thousand nodes and more, and each line here is run for each of them.
        """
        parts, hidden, open_links = self.parts, self.hidden, self.open_links
        add_part = parts.append
        kind_of = _KINDS.get
        kinds: list[int] = []  # of the open elements
        nodes: list[LexborNode] = []  # the open elements
        open_kind, close_kind = kinds.append, kinds.pop
        open_node, close_node = nodes.append, nodes.pop
        outline = self.outline
        parents, starts, ends, heights = outline.parents, outline.starts, outline.ends, outline.heights
        add_tag, add_parent, add_start = outline.tags.append, parents.append, starts.append
        add_end, add_height = ends.append, heights.append
        muted = 0  # depth at which invisible content began; 0: visible
        node = root
        while True:
            tag = node.tag_id
            if tag == _TEXT_ID:
                if not muted:
                    text = node.text_content
                    if text and not text.isspace():
                        add_part(text)
                    elif parts[-1] is not _SEPARATOR:
                        add_part(" ")
                following = node.next
            else:
                kind = kind_of(tag, 0)
                if kind:
                    if kind <= _LINES:
                        if parts[-1] is not _SEPARATOR:
                            add_part(_SEPARATOR)
                            self.breaks += 1
                    elif kind == _ANCHOR:
                        attributes = node.attributes
                        open_links.append(
                            (attributes, len(parts), self.breaks, [], self.element) if "href" in attributes else None
                        )
                    else:
                        self.enter(kind, node)
                if kind < _LEAVES and (child := node.first_child) is not None:
                    open_kind(kind)
                    open_node(node)
                    if kind < 0:
                        add_tag(-kind)
                        add_parent(self.element)
                        add_start(self.breaks)
                        self.element = len(ends)
                        add_end(0)
                        add_height(0)
                    if not muted and (kind == _HEAD or (hidden and node.mem_id in hidden)):
                        muted = len(kinds)
                    node = child
                    continue
                if kind == _ANCHOR:
                    self.close_link(node)
                following = node.next
            while following is None:
                if not kinds:
                    return
                if muted and len(kinds) == muted:
                    muted = 0
                kind = close_kind()
                node = close_node()
                if kind:
                    if kind <= _LINES:
                        if parts[-1] is not _SEPARATOR:
                            add_part(_SEPARATOR)
                            self.breaks += 1
                        if kind < 0:
                            element = self.element
                            ends[element] = self.breaks
                            self.element = parent = parents[element]
                            if heights[parent] <= heights[element] and starts[element] < self.breaks:
                                heights[parent] = heights[element] + 1
                    elif kind == _ANCHOR:
                        self.close_link(node)
                following = node.next
            node = following

    def go_on(self, walk: _Walk) -> None:
        """Take up the walk over the page's next piece."""
        self.text += b"\n" * (self.outline.lines - FIRST_LINE - self.text.count(b"\n"))
        self.text += walk.text
        lines, elements = self.outline.extend(walk.outline)
        for link in walk.links:
            element = link.element and link.element + elements
            self.links.append(link._replace(paragraph=link.paragraph + lines, element=element))
        self.head.extend(walk.head)

    def enter(self, kind: int, node: LexborNode) -> None:
        """The start of an element that is neither inline, nor a block, nor a link."""
        if kind == _IMAGE:
            if self.open_links and (link := self.open_links[-1]) is not None:
                link[3].append(node.attributes.get("alt") or "")
        elif kind == _BREAK:
            self.parts.append(" ")
        elif kind in (_AREA, _FRAME):
            attributes = node.attributes
            name, label = ("href", "alt") if kind == _AREA else ("src", "name")
            if self.parts[-1] is _SEPARATOR:
                self.parts.append("")  # as for an image's link
            self.add_link(attributes, attributes.get(name), attributes.get(label) or "", self.breaks, self.element)
        elif kind not in (_SKIPPED, _HEAD):
            self.head.enter(kind, node.attributes, node.text() if kind == TITLE else "")

    def close_link(self, node: LexborNode) -> None:
        """The end of an ``<a>``: its text is what was written since it began."""
        link = self.open_links.pop()
        if link is None:
            return
        attributes, first_part, paragraph, alts, element = link
        parts = self.parts
        text = parts[-1] if len(parts) == first_part + 1 else "".join(parts[first_part : first_part + _MOST_PARTS])
        if len(text) > _MAX_ANCHOR:  # the rest is not shown, and links around links must not copy it, each of them
            text = text[: _MAX_ANCHOR + 1]
        if alts:
            text = " ".join((text, *alts))
        elif not text and self.hidden and len(self.open_links) < _MOST_AROUND:
            text = node.text()  # the link of a folded menu: not visible text, but its anchor all the same
        if self.breaks != paragraph and parts[first_part - 1] is not _SEPARATOR:
            paragraph += 1  # a link around blocks belongs to the first of them, not to the text before it
        if self.breaks == paragraph and parts[-1] is _SEPARATOR:
            parts.append("")  # nothing visible in it (an image): it still stands in a paragraph of its own
        self.add_link(attributes, attributes["href"], text, paragraph, element)

    def add_link(
        self, attributes: dict[str, str | None], href: str | None, anchor: str, paragraph: int, element: int
    ) -> None:
        if not href:
            return
        if len(attributes) > 1:
            title = attributes.get("title")
            if title and title != anchor:
                anchor = f"{anchor} {title}"
            rel = attributes.get("rel") or ""
            if rel:
                rel = " ".join(rel[:_MAX_REL].lower().split())
        else:
            rel = ""
        anchor = " ".join(anchor[:_MAX_ANCHOR].replace(_SEPARATOR, " ").split())
        # past the named tuple's own constructor, which is a function of Python: a page has a hundred links
        self.links.append(tuple.__new__(RawLink, (href, anchor, rel, paragraph, element)))
