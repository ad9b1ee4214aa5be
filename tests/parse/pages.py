"""Pages as they come: a modern article, a page of 1997, a frameset; pages that Python's own documentation tool makes;
and the damage that happens to them."""

from __future__ import annotations

import importlib
import pydoc
import random

from hypothesis import strategies as st

ARTICLE = """<!DOCTYPE html>
<html lang="en-GB"><head><meta charset="utf-8"><title>Perovskite solar cells &mdash; Lab notes</title>
<link rel="canonical" href="/notes/perovskite"><script>var a = "<a href='/not-a-link'>";</script>
<style>.x { display: none }</style></head>
<body><nav><ul><li><a href="/">Home</a></li><li><a href="/notes/">Notes</a></li>
<li><a href="mailto:lab@example.org">Mail</a></li></ul></nav>
<main><h1>Perovskite solar cells</h1>
<p>A <a href="/wiki/perovskite" title="mineral">perovskite</a> absorbs light well; see the
<a href="efficiency.html#table">efficiency <b>table</b></a> for cells.</p>
<div>Loose text <p>inner paragraph</p> tail <a href="?page=2">next</a></div>
<p hidden>hidden words</p><div style="DISPLAY : none">more hidden <a href="/folded">folded menu</a></div>
<p aria-hidden="true">decorative but visible</p>
<a href="/pic"><img src="x.png" alt="Cell diagram"></a>
<a href="/card"><div><h3>Card title</h3><p>Card text</p></div></a>
<table><tr><td>left</td><td>right <a rel="noopener NOFOLLOW" href="https://ads.example/">ad</a></td></tr></table>
<noscript>no script text</noscript><template><a href="/template">t</a></template>
</main></body></html>"""

PAGE_1997 = """<HTML><HEAD><TITLE>CS 101</TITLE></HEAD><BODY BGCOLOR=#FFFFFF>
<H1>CS 101: Introduction<HR></H1>
<MAP NAME=m><AREA HREF="map1.html" ALT="North"><AREA HREF='map2.html'></MAP>
<UL><LI><A HREF=syllabus.html>Syllabus</A><LI><A HREF="hw 1.html">Homework <I>one</A></I>
<LI>See <A NAME=here>here</A> <A HREF="http://other.example:80/~prof">Prof. M&uuml;ller</A></UL>
<FONT SIZE=2><P>Last changed<BR>Jan 1997<P>Fall</FONT>"""

FRAMESET = """<HTML><HEAD><TITLE>Dept</TITLE></HEAD><FRAMESET COLS="20%,*">
<FRAME SRC="menu.html" NAME=menu><FRAME SRC="main.html">
<NOFRAMES>old <A HREF="x.html">x</A></NOFRAMES></FRAMESET></HTML>"""


def written_pages() -> list[bytes]:
    """Pages with tables in tables, made by a tool of 2001 that is still in use."""
    names = ("email.message", "json", "pathlib", "sqlite3", "unittest.mock", "xml.dom.minidom")
    return [pydoc.html.document(importlib.import_module(name)).encode() for name in names]


_DAMAGE = [b"<", b">", b'"', b"</div>", b"<a href=", b"\x00", b"<!--", b"\xff", b"<svg><a>"]


@st.composite
def _mutated(draw: st.DrawFn) -> bytes:
    dice = random.Random(draw(st.integers(0, 2**32)))
    body = bytearray(draw(st.sampled_from([ARTICLE, PAGE_1997, FRAMESET])).encode())
    for _ in range(draw(st.integers(1, 40))):
        at = dice.randrange(len(body))
        match dice.randrange(3):
            case 0:
                body[at] = dice.randrange(256)
            case 1:
                del body[at : at + dice.randrange(20)]
            case _:
                body[at:at] = dice.choice(_DAMAGE)
        body = body or bytearray(b"x")
    return bytes(body)


mutated_pages = _mutated()
"""Any of the pages, damaged."""
