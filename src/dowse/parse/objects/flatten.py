"""Items to tuples: nested things become fields of their owner, and values are written one way.

``location`` of an event is the place's name, ``location.address`` its address on one line, and
``location.address.addressLocality`` the town. Days are ISO 8601, prices numbers, as :mod:`dowse.model.normal` reads
them; what it cannot read stays as it was written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from dowse.model.normal.dates import read_date
from dowse.model.normal.prices import read_price
from dowse.model.normal.texts import one_line
from dowse.model.objects import FoundObject, Value
from dowse.parse.objects.items import LONGEST_NAME, MOST_ITEMS, MOST_TEXT, Item, bare

__all__ = ["Flattener"]

_DEEPEST = 3  # an event's place's address's country
_MOST_FIELDS = 60
_MOST_STEPS = 60_000  # values looked at, of a page
_MOST_JOINED = 20  # values of one field
_NAMED_BY = ("name", "headline", "title", "legalName", "value", "addressLocality", "url")
_ADDRESS = ("streetAddress", "postalCode", "addressLocality", "addressRegion", "addressCountry")
_FIELD = re.compile(rf"[\w.-]{{1,{LONGEST_NAME}}}").fullmatch
_A_DAY = re.compile(r"date|.*(?:Date|Time|Through|From)|date[A-Z]\w*").fullmatch
_NO_DAY = frozenset(("cookTime", "prepTime", "totalTime", "performTime", "deliveryTime", "isBasedOnFrom"))
_A_PRICE = frozenset(("price", "lowPrice", "highPrice", "minPrice", "maxPrice"))
_OF_SCHEMA = re.compile(r"https?://(?:www\.)?schema\.org/(?=[A-Z]\w*$)")
_FURNITURE = frozenset(
    ("listitem", "breadcrumblist", "searchaction", "readaction", "entrypoint", "sitenavigationelement", "wpheader",
     "wpfooter", "wpsidebar", "webpageelement", "propertyvaluespecification")
)  # fmt: skip
"""Kinds that are parts of a page or list, and tell of nothing in the world."""


class Flattener:
    """The items of one page, which may name one another by their ids."""

    def __init__(self, items: Sequence[Item], url: str) -> None:
        self._items = items
        self._url = url
        self._by_id: dict[str, Item] = {}
        for item in items:  # of several places that tell of one thing, the one that tells most
            known = self._by_id.get(item.id)
            if item.id and (known is None or len(item.properties) > len(known.properties)):
                self._by_id[item.id] = item
        self._steps = _MOST_STEPS
        self._text = MOST_TEXT

    def objects(self, *, parts: bool) -> Iterator[FoundObject]:
        """The things that have a type and a field. With ``parts`` also those that only tell of another, and a thing of
        several types once as each of them."""
        left = MOST_ITEMS
        for item in self._items:
            kinds = dict.fromkeys(kind for one in item.types if (kind := bare(one)) and len(kind) <= LONGEST_NAME)
            if not kinds or (not parts and (item.is_part or next(iter(kinds)).lower() in _FURNITURE)):
                continue
            fields = self._fields(item)
            for kind in kinds if parts else list(kinds)[:1]:
                if fields and left > 0:
                    left -= 1
                    yield FoundObject(kind, fields, self._url, item.source)

    def _fields(self, item: Item) -> dict[str, Value]:
        fields: dict[str, Value] = {}
        self._tell((item,), "", fields)
        return fields

    def _tell(self, path: tuple[Item, ...], before: str, fields: dict[str, Value]) -> None:
        """Write the properties of the last item of a path as fields. What things tell that these are comes behind, but
        for those that the path has passed."""
        below: list[tuple[str, Item]] = []
        for name, values in path[-1].properties.items():
            if len(fields) >= _MOST_FIELDS or self._steps <= 0 or self._text <= 0:
                return
            field = f"{before}{name}"
            if _FIELD(field) is None:
                continue
            told = self._value(name, values)
            if told is not None:
                fields.setdefault(field, told)
            first = next((self._known(value) for value in values if isinstance(value, Item)), None)
            if first is not None and len(path) <= _DEEPEST and not any(first is passed for passed in path):
                below.append((field, first))
        for field, inner in below:
            self._tell((*path, inner), f"{field}.", fields)

    def _known(self, item: Item) -> Item:
        """The thing itself, where it is only mentioned."""
        return item if item.properties else self._by_id.get(item.id, item)

    def _value(self, name: str, values: Sequence[Value | Item]) -> Value | None:
        """One value of a property: of several texts, all of them."""
        told: list[Value] = []
        for value in values[:_MOST_JOINED]:
            self._steps -= 1
            one = self._named(value) if isinstance(value, Item) else _scalar(name, value)
            if one not in (None, "") and one is not None:
                told.append(one)
        distinct = list({(type(one), one): one for one in told}.values())
        if not distinct:
            return None
        one = distinct[0] if len(distinct) == 1 else one_line("; ".join(map(_written, distinct)))
        self._text -= len(one) if isinstance(one, str) else 8
        return one

    def _named(self, item: Item) -> str:
        """A thing in one line: its address, its name, or what there is."""
        item = self._known(item)
        if "streetAddress" in item.properties or bare(item.types[0] if item.types else "") == "PostalAddress":
            return ", ".join(one for name in _ADDRESS if (one := self._text_of(item, name)))
        return next((one for name in _NAMED_BY if (one := self._text_of(item, name))), one_line(item.id))

    def _text_of(self, item: Item, name: str) -> str:
        self._steps -= 1
        for value in item.properties.get(name, ())[:_MOST_JOINED]:
            if isinstance(value, Item):  # of an address, the country may be a thing
                value = next((own for own in value.properties.get("name", ())[:1] if isinstance(own, str)), "")
            told = _written(value) if not isinstance(value, str) else one_line(value)
            if told:
                return told
        return ""


def _scalar(name: str, value: Value) -> Value | None:
    if not isinstance(value, str):
        return value
    text = one_line(value)
    if not text:
        return None
    if _A_DAY(name) is not None and name not in _NO_DAY:
        return read_date(text) or text
    if name in _A_PRICE and (price := read_price(text)) is not None:
        return price.amount
    return _OF_SCHEMA.sub("", text)


def _written(value: Value) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.15g}" if isinstance(value, float) else value
