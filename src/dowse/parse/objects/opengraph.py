"""OpenGraph: what a page as a whole is, for those who share its address."""

from __future__ import annotations

from collections.abc import Iterable

from dowse.parse.objects.items import Item

__all__ = ["opengraph_item"]

_NAMES = {
    "og:title": "name", "og:site_name": "siteName", "og:locale": "inLanguage", "og:updated_time": "dateModified",
    "article:published_time": "datePublished", "article:modified_time": "dateModified", "article:author": "author",
    "article:section": "articleSection", "article:tag": "keywords", "book:author": "author", "book:isbn": "isbn",
    "book:release_date": "datePublished", "music:release_date": "datePublished", "video:release_date": "datePublished",
    "product:price:amount": "price", "og:price:amount": "price", "product:price:currency": "priceCurrency",
    "og:price:currency": "priceCurrency", "product:brand": "brand", "event:start_time": "startDate",
    "event:end_time": "endDate", "event:location": "location", "og:start_time": "startDate", "og:end_time": "endDate",
    "og:street-address": "address.streetAddress", "og:locality": "address.addressLocality",
    "og:region": "address.addressRegion", "og:postal-code": "address.postalCode",
    "og:country-name": "address.addressCountry",
}  # fmt: skip
"""Properties that mean what schema.org has a name for; the others keep theirs."""
_SPACES = ("og", "article", "book", "profile", "product", "event", "place", "music", "video", "business")


def opengraph_item(metas: Iterable[tuple[str, str]]) -> Item | None:
    """What ``<meta property content>`` say, if they name a type."""
    item = Item("opengraph")
    for name, content in metas:
        name = name.strip().lower()
        space, _, own = name.partition(":")
        if space not in _SPACES or not content:
            continue
        if name == "og:type":
            item.typed([content])
        else:
            item.add(_NAMES.get(name, (own if space == "og" else name).replace(":", ".")), content)
    return item if item.types else None
