"""HTML that cannot be broken by what it shows.

Whatever a page of the web says is data: :func:`element` escapes every text it is given, ``shown`` (``model/shown.py``)
takes care of the characters that change how their neighbours are read, and :func:`link` links web addresses only.
Markup passes unharmed because it is :class:`Html`, and only this module makes that.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from importlib.resources import files
from itertools import chain, repeat

from dowse.model.shown import shown

__all__ = [
    "Html", "bar", "clip", "document", "element", "join", "link", "section", "table",
]  # fmt: skip

_STYLE = files("dowse.lab.report") / "report.css"
_LONGEST_LINK = 4_000
_VOID = frozenset(("br", "col", "meta"))


class Html(str):
    """Finished markup."""

    __slots__ = ()


def clip(text: str, length: int) -> str:
    """The cleaned text, at most ``length`` characters of it.

    >>> clip("perovskite solar cells", 12)
    'perovskite…'
    """
    text = shown(text[: 8 * length])
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"


def element(name: str, /, *children: str, **attributes: str) -> Html:
    """An HTML or SVG element; children that are not :class:`Html` are cleaned and escaped, attributes always are.

    A trailing underscore in an attribute's name is dropped, others become hyphens: ``class_``, ``stroke_width``.

    >>> element("b", "1 < 2", class_="x")
    '<b class="x">1 &lt; 2</b>'
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{html.escape(shown(value))}"'
        for key, value in attributes.items()
        if value
    )
    if name in _VOID:
        return Html(f"<{name}{written}>")
    return Html(f"<{name}{written}>{join(children)}</{name}>")


def join(children: Iterable[str], between: str = "") -> Html:
    """Texts and markup one after the other, as markup."""
    parts = (child if isinstance(child, Html) else html.escape(_clean_inline(child), quote=False) for child in children)
    return Html(between.join(parts))


def _clean_inline(text: str) -> str:
    """As :func:`shown`, the spaces at the ends kept: it stands beside other text."""
    core = shown(text)
    if not core:
        return " " if text[:1].isspace() else ""
    return f"{' ' if text[0].isspace() else ''}{core}{' ' if text[-1].isspace() else ''}"


def link(url: str, text: str | None = None, *, length: int = 110) -> Html:
    """A link to a web address of sane length; anything else is shown and not linked. ``text`` defaults to the URL."""
    told = element("bdi", clip(url if text is None else text, length) or clip(url, length))
    if len(url) > _LONGEST_LINK or not url.lower().startswith(("http://", "https://")):
        return told
    return element("a", told, href=url, rel="noreferrer noopener nofollow", title=clip(url, 400))


def table(
    columns: Sequence[tuple[str, str]], rows: Iterable[Sequence[str]], row_classes: Iterable[str] = ()
) -> Html:  # fmt: skip
    """A table that scrolls sideways where it must. A column is (heading, class); class ``n`` aligns numbers."""
    heads = (element("th", head, scope="col", class_=kind) for head, kind in columns)
    body = (
        element("tr", *(element("td", cell, class_=kind) for (_, kind), cell in zip(columns, row, strict=True)),
                class_=row_class)
        for row, row_class in zip(rows, chain(row_classes, repeat("")), strict=False)
    )  # fmt: skip
    whole = element("table", element("thead", element("tr", *heads)), element("tbody", join(body, "\n")))
    return element("div", whole, class_="scroll")


def bar(share: float, text: str) -> Html:
    """A number with a bar behind it as long as ``share`` (0 to 1) says."""
    width = 100 * min(1.0, max(0.0, share))
    return element("span", element("span", text), class_="bar", style=f"--share:{width:.1f}%")


def section(title: str, note: str, *parts: Html) -> list[Html]:
    return [element("h2", title), *([element("p", note, class_="note")] if note else ()), *parts]


def document(title: str, body: Iterable[Html]) -> str:
    """A whole page. It asks for nothing: the policy in its head forbids every request and every script."""
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy",
                content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="referrer", content="no-referrer"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", title),
        element("style", Html(_STYLE.read_text(encoding="utf-8"))),
    )  # fmt: skip
    whole = element("html", head, element("body", element("main", join(body, "\n"))), lang="en")
    return f"<!doctype html>\n{whole}\n"
