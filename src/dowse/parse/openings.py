"""How many elements can be open, at most, in the tree that an HTML library builds of a page, and what that costs it.

An HTML tree builder looks up the stack of open elements at nearly every tag, and opens formatting (``<b>``, ``<font>``)
again in every paragraph that it was not closed in: its time is the sum, over all tags, of what is open there. This sum
is found here without a tree. What is counted as open is never less than what is: an end tag takes away one entry of its
name, and only where the standard says that it surely closes one. So a page with mistakes may seem deeper than it is,
which costs it nothing as long as the sum stays within reason, and no page seems flatter.
"""

from __future__ import annotations

from typing import Final

__all__ = ["SORTS", "Openings"]

# What is known of a name, as bits; src/core/bounds.c has the same ones.
(
    _BARRIER,  # end tags do not reach beyond it,
    _SPECIAL,  # or only those that are
    _SCOPED,  # do
    _FORMATTING,
    _NEVER_OPEN,  # void, or at most one of them in a table
    _LEAVES_SVG,  # its tag ends SVG and MathML
    _NEVER_OPEN_IN_SVG,
    _HTML_INSIDE,  # of SVG or MathML
    _ENDS_PARAGRAPH,
    _PART,  # of a table
    _CELL,
    _P,
    _LI,  # of these three kinds, the next closes the one before
    _DD,
    _OPTION,
    _A,
    _NOBR,
    _ROOT,
    _FORM,
    _TABLE,
    _FOREIGN,
    _SELECT,
    _TEMPLATE,
    _FRAMESET,
    _COLUMN,
    _TITLE,  # of SVG, mostly text and nothing else
    _STOPS_P,
    _STOPS_LI,
) = (1 << bit for bit in range(28))
_ITEM = _LI | _DD | _OPTION
_NAMES = {
    _BARRIER: b"applet marquee math object select svg table template",
    _SPECIAL: b"address annotation-xml applet article aside blockquote body button caption center col colgroup dd desc "
    b"details dir div dl dt fieldset figcaption figure footer foreignobject form frameset h1 h2 h3 h4 h5 h6 head "
    b"header hgroup html li listing main marquee menu mi mn mo ms mtext nav object ol p plaintext pre search section "
    b"select summary table tbody td template tfoot th thead title tr ul",
    _SCOPED: b"address applet article aside blockquote button center dd div dl dt fieldset figcaption figure footer "
    b"form h1 h2 h3 h4 h5 h6 header li main marquee menu nav object ol p pre section select table template ul",
    _FORMATTING: b"a b big code em font i nobr s small strike strong tt u",
    _NEVER_OPEN: b"area base basefont bgsound body br caption col colgroup embed frame head hr html img input keygen "
    b"link meta param source tbody td tfoot th thead tr track wbr",
    _LEAVES_SVG: b"b big blockquote body br center code dd div dl dt em embed font h1 h2 h3 h4 h5 h6 head hr i img li "
    b"listing menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var",
    _NEVER_OPEN_IN_SVG: b"br embed hr img meta",
    _HTML_INSIDE: b"annotation-xml desc foreignobject mi mn mo ms mtext title",
    _ENDS_PARAGRAPH: b"address article aside blockquote center dd div dl dt fieldset figure footer form h1 h2 h3 h4 h5 "
    b"h6 header hr li main nav ol p pre section ul",
    _PART: b"caption col colgroup tbody td tfoot th thead tr",
    _CELL: b"caption td th",
    _P: b"p",
    _LI: b"li",
    _DD: b"dd dt",
    _OPTION: b"option",
    _A: b"a",
    _NOBR: b"nobr",
    _ROOT: b"body html",
    _FORM: b"form",
    _TABLE: b"table",
    _FOREIGN: b"math svg",
    _SELECT: b"select",
    _TEMPLATE: b"template",
    _FRAMESET: b"frameset",
    _COLUMN: b"col colgroup",
    _TITLE: b"desc title",
    _STOPS_P: b"button",
    _STOPS_LI: b"ol ul",
}
SORTS: Final[dict[bytes, int]] = {}
"""What is known of each name."""
for _bit, _names in _NAMES.items():
    for _name in _names.split():
        SORTS[_name] = SORTS.get(_name, 0) | _bit

_LOOK_BACK = 32  # entries: what an end tag closes is near, or it is taken to close nothing
_MOVED_BLOCKS = 6  # out of formatting by one end tag, surely
_ALIKE = 3  # formatting elements that are all alike and opened again
_WITH_TABLE = 4  # more elements that a table brings with it
_NODE = 192  # what an element costs that is opened again, in looks at the stack,
_BYTE = 4  # and each byte of its tag, which is copied and searched
_TURNS = 8  # of the standard's loop at the end of formatting
_COPIED = 16  # bytes, in one such look
_FOSTERED = b"<"  # no tag has this name


class Openings:
    """What may be open, and ``cost`` up to here, in looks at the stack: some four nanoseconds each."""

    __slots__ = ("_alike", "_ark", "_cell", "_form", "_formats", "_fostered", "_merged", "_odd", "_paragraphs", "_pure",
                 "_stack", "_tables", "_templates", "_title", "cost", "foreign", "selects")  # fmt: skip

    def __init__(self) -> None:
        self.cost = 0
        self.foreign = 0  # of SVG and MathML
        self.selects = 0
        self._stack: list[tuple[bytes, int, bytes, bool]] = []  # name, sort, as written, see _cell
        self._alike: dict[bytes, int] = {}  # formatting elements, as written
        self._formats = 0  # what it costs to open them again
        self._ark = False  # were there more of one kind than are opened again?
        self._tables = self._templates = self._paragraphs = 0
        self._form = False
        self._cell = False  # is text of a table in a cell of it?
        self._fostered = 0  # bytes of text that is not: they are copied at every tag
        self._merged = 0  # attributes of <html> and <body>
        self._pure = False  # is it surely SVG or MathML here?
        self._title = b""  # which was pure up to this element, which began right before
        self._odd = False  # are there modes in which tags count for nothing?

    @property
    def depth(self) -> int:
        """No more elements are open."""
        return len(self._stack) + _WITH_TABLE * self._tables

    @property
    def raw_is_certain(self) -> bool | None:
        """Is the text of a script or a title without tags? None: perhaps."""
        if self.foreign:
            return False if self._pure else None
        return None if self.selects or self._odd else True

    def text(self, text: bytes) -> None:
        """Text before the next tag, or something that is none."""
        if self._tables and not self._cell and text and not text.isspace():
            self._fostered += len(text)

    def mark(self) -> None:
        """A comment, or what is counted like one."""
        self.cost += 1 + self._fostered // _COPIED

    def _charge(self, sort: int) -> None:
        times = _TURNS if sort & _FORMATTING else 1
        self.cost += 1 + times * self.depth + self._formats + self._fostered // _COPIED

    def start(self, name: bytes, written: bytes, attributes: int, closed: bool) -> None:
        """A start tag: its name in small letters, what was written, about how many attributes, and was it ``/>``?"""
        sort = SORTS.get(name, 0)
        self._charge(sort & (_A | _NOBR) and sort)
        if sort & _ROOT:
            self.cost += attributes * self._merged
            self._merged += attributes
        if self.foreign:
            self._start_foreign(name, sort, written, closed)
        elif sort & _NEVER_OPEN:
            if sort & _PART and self._tables:
                self._cell = bool(sort & _CELL and not self.selects)
            if sort & _COLUMN and self._templates:
                self._odd = True
            if sort & _ENDS_PARAGRAPH and self._paragraphs:
                self._close(b"p", _BARRIER | _STOPS_P)
        else:
            self._start(name, sort, written, closed)

    def _start(self, name: bytes, sort: int, written: bytes, closed: bool) -> None:
        if sort & _ENDS_PARAGRAPH and self._paragraphs:
            self._close(b"p", _BARRIER | _STOPS_P)
        if sort & _ITEM and self._stack and self._stack[-1][1] & _ITEM == sort & _ITEM:
            return
        if sort & _FOREIGN and closed:
            return
        if sort & _A:
            self._close(name, _BARRIER)
        if sort & _FORM and not self._templates:
            if self._form:
                return
            self._form = True
        self._open(name, sort, written)

    def _start_foreign(self, name: bytes, sort: int, written: bytes, closed: bool) -> None:
        self._title = b""
        if self._pure:
            if closed and not sort & _LEAVES_SVG:
                return
            self._title = name if sort & _TITLE else b""
            self._pure = not sort & (_LEAVES_SVG | _HTML_INSIDE)
        if not sort & _NEVER_OPEN_IN_SVG:
            self._open(name, sort, written)

    def _open(self, name: bytes, sort: int, written: bytes) -> None:
        if sort & _FORMATTING and self._tables and not self._cell:
            name = _FOSTERED  # it stays open for what follows the table, whatever end tags there are in cells
        self._stack.append((name, sort, written, self._cell))
        if sort & _FORMATTING:
            alike = self._alike[written] = self._alike.get(written, 0) + 1
            if alike <= _ALIKE:
                self._formats += _NODE + _BYTE * len(written)
            else:
                self._ark = True
        elif sort & _P:
            self._paragraphs += 1
        elif sort & _FRAMESET:
            self._odd = True
        elif sort & _TABLE:
            self._tables += 1
            self._cell = False
        elif sort & _FOREIGN:
            if not self.foreign:
                self._pure = not (self.selects or self._odd)
            self.foreign += 1
        elif sort & _SELECT:
            self.selects += 1
        elif sort & _TEMPLATE:
            self._templates += 1

    def end(self, name: bytes) -> None:
        """An end tag: its name in small letters."""
        sort = SORTS.get(name, 0)
        self._charge(sort)
        title, self._title = self._title, b""
        if self.foreign:
            innermost = self._stack[-1][0] == name
            self._pure = innermost and (self._pure or name == title)  # else it may close more than that
            self._close(name, _BARRIER | _SPECIAL)
        elif sort & _NEVER_OPEN:
            if sort & _PART:
                self._cell = False
        elif sort & _FORM and not self._templates:
            if self._form:
                self._close(name, _BARRIER)
            self._form = False
        elif sort & _FORMATTING:
            self._close(name, _BARRIER, 0 if self._ark else _MOVED_BLOCKS)
        else:
            stop = _BARRIER if sort & _SCOPED else _BARRIER | _SPECIAL
            stop |= _STOPS_P if sort & _P else _STOPS_LI if sort & _LI else 0
            self._close(name, stop)

    def _close(self, name: bytes, stop: int, most_special: int = _LOOK_BACK) -> None:
        """Take away the innermost entry of that name, with none between that stops it."""
        stack = self._stack
        special = 0
        for place in range(len(stack) - 1, max(-1, len(stack) - 1 - _LOOK_BACK), -1):
            found, sort, _, _ = stack[place]
            if found == name:
                if special <= most_special:
                    self._take_away(place)
                return
            if sort & stop:
                return
            special += (sort & _SPECIAL) != 0

    def _take_away(self, place: int) -> None:
        _, sort, written, cell = self._stack.pop(place)
        if sort & _FORMATTING:
            alike = self._alike[written] = self._alike[written] - 1
            if alike < _ALIKE:
                self._formats -= _NODE + _BYTE * len(written)
            if not alike:
                del self._alike[written]
        elif sort & _P:
            self._paragraphs -= 1
        elif sort & _TABLE:
            self._tables -= 1
            self._cell = cell
            if not self._tables:
                self._fostered = 0
        elif sort & _FOREIGN:
            self.foreign -= 1
        elif sort & _SELECT:
            self.selects -= 1
        elif sort & _TEMPLATE:
            self._templates -= 1
