"""A page of the made listings, written out."""

from __future__ import annotations

import json
from html import escape

from dowse.loopback.listings.site import ListedPage, Stated
from dowse.loopback.listings.truth import words

__all__ = ["written"]

_FILL = words(
    "the evening brings guests from near and far while doors open an hour before and seats are kept until "
    "the start please note that programmes may change and that the box office is open on weekdays from "
    "noon to six"
)


def written(page: ListedPage) -> str:
    """The HTML of a page."""
    parts = [f'<!doctype html><html lang="{page.language}"><head><title>{escape(page.title)}</title>']
    if page.markup == "json-ld":
        told = [_json_ld(stated) for stated in page.states]
        text = json.dumps(told[0] if len(told) == 1 else told).replace("<", "\\u003c")
        parts.append(f'<script type="application/ld+json">{text}</script>')
    parts.append(f"</head><body><h1>{escape(page.title)}</h1>")
    parts += [_stated(stated, page.markup == "microdata") for stated in page.states]
    fill = " ".join(_FILL[place % len(_FILL)] for place in range(page.words))
    parts.append(f"<p>{fill}</p><ul>")
    parts += [f'<li><a href="{escape(path)}">{escape(anchor)}</a></li>' for path, anchor in page.links]
    parts.append("</ul></body></html>")
    return "".join(parts)


def _json_ld(stated: Stated) -> dict[str, object]:
    fields = stated.fields
    return {
        "@context": "https://schema.org", "@type": "Event", "name": fields["name"], "startDate": fields["startDate"],
        "location": {"@type": "Place", "name": fields["location"]},
    }  # fmt: skip


def _stated(stated: Stated, marked: bool) -> str:
    name, day, place = (escape(value) for value in stated.fields.values())
    if not marked:
        return f"<div><b>{name}</b> {day} {place}</div>"
    return (
        f'<div itemscope itemtype="https://schema.org/Event"><b itemprop="name">{name}</b> '
        f'<time itemprop="startDate" datetime="{day}">{day}</time> <span itemprop="location">{place}</span></div>'
    )
