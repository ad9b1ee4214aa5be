"""A wrapper from a few pages whose values somebody has marked.

For each field, every place that says one of its values is named by all selectors that a person might write (an
attribute, an id, a class, a tag, within such an element or as its n-th child). The one is taken that gives the marked
values on most pages; of several, the one that fits fewest other places, then the shortest. Of a page with several
objects, the elements are found first that hold one each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from urllib.parse import urlsplit

from dowse.model.normal.dates import read_date
from dowse.model.normal.prices import read_price
from dowse.model.normal.texts import one_line, plain
from dowse.model.url import Base
from dowse.parse.decode import in_utf8
from dowse.parse.html import Node, check_css, trees
from dowse.parse.objects.wrapped import find_value
from dowse.parse.objects.wrapper import Rule, Wrapper

__all__ = ["MarkedPage", "Suggested", "suggest"]

_MOST_ELEMENTS = 30_000  # of a page
_MOST_TEXTS = 400  # that are looked at with what is around them
_MOST_PLACES = 12  # that say a value
_MOST_ABOVE = 5  # elements above the text that may be the value's
_MOST_RULES = 400  # that are tried for a field
_LONGEST_TEXT = 2_000
_ATTRIBUTES = ("content", "datetime", "href", "src", "title", "alt", "value")
_has_digit = re.compile(r"\d").search
_A_NAME = re.compile(r"[A-Za-z][A-Za-z_-]{1,40}").fullmatch  # without digits: they are of one page
_A_TAG = re.compile(r"[a-z][a-z0-9-]*").fullmatch
_UNNAMED = ("html", "body")
_LABEL = 24  # characters before a value that tell what it is


@dataclass(frozen=True, slots=True)
class MarkedPage:
    """A page, and the values of each object that somebody sees on it."""

    body: bytes
    content_type: str
    url: str
    objects: tuple[Mapping[str, str], ...]


@dataclass(frozen=True, slots=True)
class Suggested:
    """A wrapper, and for each field on how many of the marked places it gives the value."""

    wrapper: Wrapper
    right: Mapping[str, int]
    marked: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class _Spot:
    """Where an object is: a whole page, or the element that holds it."""

    node: Node
    base: Base
    values: Mapping[str, str]


def suggest(pages: Sequence[MarkedPage], kind: str, name: str) -> Suggested:
    """The wrapper that gives most of the marked values."""
    roots = [(root, Base(page.url), page.objects) for page in pages if (root := _root(page)) is not None]
    items = _items(roots)
    spots = [_Spot(root, base, one) for root, base, objects in roots for one in objects]
    if items is not None:
        spots = _spots_in(roots, items)
    rules: dict[str, Rule] = {}
    right: dict[str, int] = {}
    marked: dict[str, int] = {}
    for field in dict.fromkeys(field for page in pages for one in page.objects for field in one):
        own = [spot for spot in spots if field in spot.values]
        marked[field] = sum(field in one for page in pages for one in page.objects)
        found = _best(own, field)
        right[field] = 0 if found is None else found[1]
        if found is not None:
            rules[field] = found[0]
    required = ("name",) if "name" in rules else ()
    return Suggested(Wrapper(name, kind, rules, _pattern(pages), items, required), right, marked)


def _root(page: MarkedPage) -> Node | None:
    body, _ = in_utf8(page.body, page.content_type)
    return next((tree.root for tree in trees(body)), None)


def _best(spots: Sequence[_Spot], field: str) -> tuple[Rule, int] | None:
    """The best rule for a field, and at how many spots it gives the value."""
    tried: dict[Rule, None] = {}
    for spot in spots[:3]:
        tried.update(dict.fromkeys(islice(_rules(spot, field), _MOST_RULES)))
    scored = []
    for rule in tried:
        right = sum(_gives(rule, spot, field) for spot in spots)
        if right:
            others = sum(len(spot.node.css(rule.css)) for spot in spots) if rule.css else 0
            scored.append((-right, others, bool(rule.regex), len(rule.css), rule.css, len(rule.regex), rule))
    if not scored:
        return None
    best = min(scored, key=lambda one: one[:-1])
    return best[-1], -best[0]


def _gives(rule: Rule, spot: _Spot, field: str) -> bool:
    value = find_value(rule, spot.node, spot.base)
    wanted = spot.values[field]
    if isinstance(value, float):
        price = read_price(wanted)
        return price is not None and price.amount == value
    return isinstance(value, str) and (plain(value) == plain(wanted) or value == _day(rule, wanted))


def _day(rule: Rule, text: str) -> str | None:
    return read_date(text, month_first=rule.as_ == "date-us") if rule.as_.startswith("date") else None


# -- where a value is ----------------------------------------------------------------------------------------------


def _rules(spot: _Spot, field: str) -> Iterator[Rule]:
    """All rules that might give the value of a field."""
    for node, form in islice(_places(spot, field), _MOST_PLACES):
        if node.mem_id == spot.node.mem_id:
            yield form
        for css in _selectors(node, spot.node):
            yield replace(form, css=css)


def _places(spot: _Spot, field: str) -> Iterator[tuple[Node, Rule]]:
    """Elements that say the value, and how it is got from them."""
    value = spot.values[field]
    wanted = plain(value)
    seen: set[tuple[int, str]] = set()
    left = _MOST_TEXTS
    for node in islice(_elements(spot.node), _MOST_ELEMENTS):
        for name in _ATTRIBUTES:
            told = node.attributes.get(name)
            if told and (form := _form(told, value, field, spot.base)) is not None:
                yield node, replace(form, attribute=name)
        for inner in _texts(node):
            if left == 0 or not _may_be_of(plain(inner), wanted, value):
                continue
            left -= 1
            for above in _above(node, spot.node):
                text = one_line(above.text(separator=" ")[:_LONGEST_TEXT])
                form = _form(text, value, field, spot.base) or _labelled(text, value)
                if form is not None and (above.mem_id, form.regex) not in seen:
                    seen.add((above.mem_id, form.regex))
                    yield above, form
                    if not form.regex:
                        break


def _may_be_of(text: str, wanted: str, value: str) -> bool:
    """Is a piece of text one that the value could begin with, or stand in?"""
    if not text:
        return False
    return wanted in text or wanted.startswith(text) or (_has_digit(text) is not None and read_date(value) is not None)


def _form(text: str, value: str, field: str, base: Base) -> Rule | None:
    """How a text becomes the value; None when it is another."""
    text = one_line(text)
    if len(text) > _LONGEST_TEXT or not text:
        return None
    if value.startswith(("http://", "https://")) and base.join(text) == base.join(value):
        return Rule(as_="url")
    day = read_date(value)
    if day is not None and len(text) <= 100:
        for as_, month_first in (("date", False), ("date-us", True)):
            told = read_date(text, month_first=month_first)
            if told is not None and (told == day or told[:10] == day):
                return Rule(as_=as_)
    price = read_price(value)
    if price is not None and "price" in field.lower() and len(text) <= 60:
        own = read_price(text)
        return Rule(as_="price") if own is not None and own.amount == price.amount else None
    return Rule() if plain(text) == plain(value) else None


def _labelled(text: str, value: str) -> Rule | None:
    """A value that stands behind a label, as in "Where: Brno"."""
    at = text.lower().find(value.lower())
    if not 0 < at <= 200:
        return None
    label = re.search(r"[^\W\d_][^.:;|]{0,%d}[:|–-]\s*$" % _LABEL, text[:at])  # noqa: UP031 braces of the pattern
    if label is None:
        return None
    end = text[at + len(value) :][:1]
    if not end:  # the rest of its line: blanks at its end do not count
        inner = "(.+)"
    elif end.strip():
        inner = f"(.+?){re.escape(end)}"
    else:
        inner = rf"(\S+(?:\s\S+){{{len(value.split()) - 1}}})"
    return Rule(regex=_spaced(label[0]) + inner)


def _spaced(text: str) -> str:
    return r"\s*".join(re.escape(part) for part in text.split()) + r"\s*"


def _elements(node: Node) -> Iterator[Node]:
    """An element and all below it, in document order, without recursion."""
    above: list[Node] = []
    at: Node | None = node
    while at is not None:
        if at.tag not in ("-text", "-comment", "script", "style"):
            yield at
            if at.first_child is not None:
                above.append(at)
                at = at.first_child
                continue
        following = at.next if above else None
        while following is None and above:
            last = above.pop()
            following = last.next if above else None
        at = following


def _texts(node: Node) -> Iterator[str]:
    child = node.first_child
    while child is not None:
        if child.tag == "-text":
            yield (child.text_content or "")[:_LONGEST_TEXT]
        child = child.next


def _above(node: Node, top: Node) -> Iterator[Node]:
    """An element and the nearest above it, as far as ``top``."""
    at: Node | None = node
    for _ in range(_MOST_ABOVE):
        if at is None or at.tag in ("html", "body", "-undef"):
            return
        yield at
        if at.mem_id == top.mem_id:
            return
        at = at.parent


# -- what it is called ---------------------------------------------------------------------------------------------


def _selectors(node: Node, top: Node) -> Iterator[str]:
    """Selectors of an element within another, the simplest first."""
    if node.mem_id == top.mem_id:
        return
    own = list(_names(node))
    yield from own
    above = [one for one in _above(node, top) if one.mem_id not in (node.mem_id, top.mem_id)]
    for holder in above:
        for name in islice(_names(holder), 3):
            yield from (f"{name} {one}" for one in own)
    if not own:
        return
    nth = f"{node.tag}:nth-of-type({_number(node)})"
    yield nth
    for holder in above[:2]:
        for name in islice(_names(holder), 3):
            yield f"{name} > {nth}"


def _names(node: Node) -> Iterator[str]:
    tag = node.tag or ""
    if tag in _UNNAMED or _A_TAG(tag) is None:
        return
    attributes = node.attributes
    for key in ("itemprop", "property", "name"):
        told = attributes.get(key) or ""
        if re.fullmatch(r"[\w:.-]{1,60}", told):
            yield f'{tag}[{key}="{told}"]'
    if _A_NAME(attributes.get("id") or ""):
        yield f"#{attributes['id']}"
    for name in (attributes.get("class") or "").split()[:4]:
        if _A_NAME(name):
            yield f"{tag}.{name}"
            yield f".{name}"
    yield tag


def _number(node: Node) -> int:
    """Which of its parent's children with its tag it is, from 1."""
    number, before = 1, node.prev
    while before is not None and number < 100:
        number += before.tag == node.tag
        before = before.prev
    return number


# -- pages with several objects ------------------------------------------------------------------------------------

_Roots = Sequence[tuple[Node, Base, Sequence[Mapping[str, str]]]]


def _items(roots: _Roots) -> Rule | None:
    """What names the elements that hold one object each; None where no page has several."""
    several = [(root, base, objects) for root, base, objects in roots if len(objects) > 1]
    if not several:
        return None
    tried: dict[str, None] = {}
    for root, base, objects in several:
        for one, other in pairwise(objects):
            for holder in _holders(_Spot(root, base, one), other):
                tried.update(dict.fromkeys(_selectors(holder, root)))
    scored = []
    for css in islice(tried, _MOST_RULES):
        if check_css(css):
            continue
        right = sum(len(_held(root.css(css), one)) == 1 for root, _, objects in roots for one in objects)
        if right:
            scored.append((-right, sum(len(root.css(css)) for root, _, _ in roots), len(css), css))
    return Rule(css=min(scored)[-1]) if scored else None


def _holders(spot: _Spot, other: Mapping[str, str]) -> Iterator[Node]:
    """Elements that hold all of one object's values, and not all of another's."""
    first = next(iter(spot.values))
    for node, _ in islice(_places(spot, first), _MOST_PLACES):
        for above in _above(node, spot.node):
            if _held([above], spot.values) and not _held([above], other):
                yield above


def _held(nodes: Sequence[Node], values: Mapping[str, str]) -> list[Node]:
    """The nodes that say all these values."""
    found = []
    for node in nodes:
        text = plain(node.text(separator=" ")[: 4 * _LONGEST_TEXT])
        html = (node.html or "")[: 8 * _LONGEST_TEXT]
        day = read_date(node.text(separator=" "))
        if all(_says(value, text, html, day) for value in values.values()):
            found.append(node)
    return found


def _says(value: str, text: str, html: str, day: str | None) -> bool:
    return plain(value) in text or value in html or (day is not None and day == read_date(value))


def _spots_in(roots: _Roots, items: Rule) -> list[_Spot]:
    """Of each object, the element that holds it."""
    found = []
    for root, base, objects in roots:
        nodes = root.css(items.css)
        for one in objects:
            found += [_Spot(node, base, one) for node in _held(nodes, one)[:1]]
    return found


def _pattern(pages: Sequence[MarkedPage]) -> str:
    """The paths of the pages, as far as they are alike; empty where they have little in common."""
    paths = [urlsplit(page.url).path for page in pages]
    first, last = min(paths), max(paths)
    size = next((at for at, (one, other) in enumerate(zip(first, last, strict=False)) if one != other), len(first))
    directory = first[: first[:size].rfind("/") + 1]
    return f"{directory}*" if len(set(paths)) > 1 and len(directory) > 1 else ""
