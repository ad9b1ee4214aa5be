"""A web as it is a week later: some pages have news, some are gone, and some are new."""

from __future__ import annotations

from dataclasses import replace

import xxhash

from dowse.loopback.web import HTML, Resource, Site, Web

__all__ = ["a_week_on"]

_PARTS = 20  # pages are told apart by lot: of so many ...
_GONE, _NEWS = 1, 5  # ... the first are gone, and up to here they have news


def a_week_on(web: Web) -> Web:
    """The same web a week on: of its plain pages one in five has news, one in twenty is not there any more, and each
    front page has a link to one that is new."""
    return Web({host: _later(site) for host, site in web.sites.items()})


def _later(site: Site) -> Site:
    made: dict[str, Resource] = {}
    for path, page in site.resources.items():
        dice = xxhash.xxh3_64_intdigest(f"{site.host}{path}".encode()) % _PARTS
        plain = page.status == 200 and page.content_type == HTML and b"</body>" in page.body and bool(page.label)
        if plain and dice < _GONE and path != "/":
            continue
        if plain and path == "/":
            made["/this-week"] = _with(page, b"<p>This week there is something new to read.</p>")
            made[path] = _with(page, b'<p><a href="/this-week">New this week</a></p>')
        else:
            made[path] = (
                _with(page, b"<p>Added this week: the figures were measured again.</p>")
                if (plain and dice < _NEWS)
                else page
            )
    return replace(site, resources=made)


def _with(page: Resource, more: bytes) -> Resource:
    return replace(page, body=page.body.replace(b"</body>", more + b"</body>"))
