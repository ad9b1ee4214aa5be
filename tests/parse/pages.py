"""Pages as they come: a modern article, a page of 1997, a frameset."""

from __future__ import annotations

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
