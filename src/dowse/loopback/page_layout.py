"""Pages of the made web, and their HTML in three styles of site: semantic tags, nested divs, and a layout table."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from html import escape
from random import Random
from urllib.parse import urlsplit

from dowse.loopback.paper import Section as PaperSection
from dowse.loopback.paper import made_docx, made_pdf
from dowse.loopback.prose import LINK, Voice, voice

__all__ = ["SKINS", "Dress", "Link", "Page", "Region", "frame", "render_html", "render_paper", "render_text"]


@dataclass(frozen=True, slots=True)
class Link:
    url: str
    anchor: str
    rel: str = ""


@dataclass(frozen=True, slots=True)
class Region:
    """A part of a page with a topic of its own: a heading, a few sentences, links."""

    heading: str
    topic: str
    links: tuple[Link, ...]


@dataclass(slots=True)
class Page:
    """A page as planned; links are added while the web is woven."""

    url: str
    topic: str  # whose voice writes it
    label: str  # what it counts as
    title: str
    focus: str
    words: int = 0
    note: str = ""  # a paragraph as given
    in_text: list[Link] = field(default_factory=list)
    listed: list[Link] = field(default_factory=list)
    related: list[Link] = field(default_factory=list)
    regions: list[Region] = field(default_factory=list)
    plain: bool = False  # served as text/plain
    paper: str = ""  # "pdf" or "docx": a document
    robots: str = ""  # content of <meta name=robots>

    @property
    def host(self) -> str:
        return urlsplit(self.url).netloc


@dataclass(frozen=True, slots=True)
class Dress:
    """What all pages of a site share."""

    name: str
    motto: str
    skin: str
    menu: tuple[Link, ...]
    footer: tuple[Link, ...]
    feed: str = ""  # the path of its feed, which every head names


SKINS = {
    "semantic": (
        "<header><p class=brand>{name}</p><p>{motto}</p></header>\n<nav><ul>{menu}</ul></nav>\n"
        "<main><article>\n{main}\n</article></main>\n{aside}<footer>{footer}</footer>"
    ),
    "divs": (
        '<div id="page"><div id="top"><b>{name}</b> <i>{motto}</i></div>\n<div id="menu"><ul>{menu}</ul></div>\n'
        '<div id="content"><div class="inner">\n{main}\n</div></div>\n{aside}<div id="bottom">{footer}</div></div>'
    ),
    "table": (
        '<table width="100%" border="0"><tr><td colspan="2" bgcolor="#eeeedd"><font size="5">{name}</font><br>{motto}'
        '</td></tr>\n<tr><td width="160" valign="top"><ul>{menu}</ul></td>\n<td valign="top">\n{main}\n{aside}</td>'
        '</tr>\n<tr><td colspan="2" align="center">{footer}</td></tr></table>'
    ),
}


def _anchor(link: Link, host: str) -> str:
    parts = urlsplit(link.url)
    href = link.url if parts.netloc != host else parts.path + (f"?{parts.query}" if parts.query else "")
    rel = f' rel="{link.rel}"' if link.rel else ""
    return f'<a href="{escape(href)}"{rel}>{escape(link.anchor)}</a>'


def _items(links: Iterable[Link], host: str) -> str:
    return "".join(f"<li>{_anchor(link, host)}</li>\n" for link in links)


def frame(
    dress: Dress, host: str, title: str, main: str, *, aside: str = "", robots: str = "", lang: str = "en"
) -> str:
    """A whole document around ``main``."""
    whole = title if title == dress.name else f"{title} | {dress.name}"
    meta = f'<meta name="robots" content="{robots}">\n' if robots else ""
    if dress.feed:
        meta += f'<link rel="alternate" type="application/rss+xml" title="{escape(dress.name)}" href="{dress.feed}">\n'
    body = SKINS[dress.skin].format(
        name=escape(dress.name),
        motto=escape(dress.motto),
        menu=_items(dress.menu, host),
        main=main,
        aside=aside,
        footer=" · ".join(_anchor(link, host) for link in dress.footer),
    )
    return (
        f'<!doctype html>\n<html lang="{lang}"><head><meta charset="utf-8">\n<title>{escape(whole)}'
        f"</title>\n{meta}</head>\n<body>\n{body}\n</body></html>\n"
    )


def _article(page: Page, own: Voice, rng: Random) -> list[str]:
    """The running text, with the links in it spread over the paragraphs."""
    lines: list[str] = []
    spots: list[int] = []
    for section in own.sections(rng, page.focus, page.words):
        if lines:
            lines.append(f"<h2>{escape(section.heading)}</h2>")
        for paragraph in section.paragraphs:
            spots.append(len(lines))
            lines.append(f"<p>{escape(' '.join(paragraph), quote=False)}</p>")
    for link in page.in_text:
        spot = rng.choice(spots)
        said = escape(own.draw("linking", rng, page.focus), quote=False).replace(LINK, _anchor(link, page.host))
        lines[spot] = f"{lines[spot][:-4]} {said}</p>"
    return lines


def _listing(page: Page, own: Voice, rng: Random) -> list[str]:
    """A list of links; every third one comes with a sentence."""
    lines = ["<ul>"]
    for number, link in enumerate(page.listed):
        said = f"<br>{escape(own.draw('says', rng, link.anchor), quote=False)}" if number % 3 == 0 else ""
        lines.append(f"<li>{_anchor(link, page.host)}{said}</li>")
    return [*lines, "</ul>"]


def _region(region: Region, host: str, rng: Random) -> list[str]:
    own = voice(region.topic)
    said = " ".join(own.say(pattern, rng) for pattern in rng.sample(own.patterns("says"), 2))
    return [
        f'<div class="region"><h2>{escape(region.heading)}</h2>',
        f"<p>{escape(said, quote=False)}</p>",
        f"<ul>{_items(region.links, host)}</ul></div>",
    ]


def render_html(page: Page, dress: Dress, rng: Random) -> str:
    """The page's document."""
    own = voice(page.topic)
    lines = [f"<h1>{escape(page.title)}</h1>"]
    if page.note:
        lines.append(f"<p>{escape(page.note, quote=False)}</p>")
    if page.words:
        lines += _article(page, own, rng)
    if page.listed:
        lines += _listing(page, own, rng)
    for region in page.regions:
        lines += _region(region, page.host, rng)
    aside = ""
    if page.related:
        tag = "aside" if dress.skin == "semantic" else "div"
        aside = f"<{tag}><h3>Related</h3><ul>{_items(page.related, page.host)}</ul></{tag}>\n"
    return frame(dress, page.host, page.title, "\n".join(lines), aside=aside, robots=page.robots)


def render_paper(page: Page, rng: Random) -> bytes:
    """The page as a document, as an office would publish it: its links stand below its first section."""
    own = voice(page.topic)
    sections = [
        PaperSection(section.heading, [" ".join(paragraph) for paragraph in section.paragraphs])
        for section in own.sections(rng, page.focus, page.words)
    ]
    links = [(link.url, link.anchor) for link in (*page.in_text, *page.listed, *page.related)]
    sections[0] = replace(sections[0], heading=page.title, links=links)
    return {"pdf": made_pdf, "docx": made_docx}[page.paper](page.title, sections)


def render_text(page: Page, rng: Random) -> str:
    """The page as plain text, as a library would keep a summary."""
    own = voice(page.topic)
    lines = [page.title, "=" * len(page.title), "", f"Author: {own.draw('person', rng)}", ""]
    for section in own.sections(rng, page.focus, page.words):
        lines += [section.heading, ""]
        for paragraph in section.paragraphs:
            lines += [*re.findall(r".{1,88}(?:\s|$)", " ".join(paragraph)), ""]
    return "\n".join(line.rstrip() for line in lines) + "\n"
