"""Tag soup: tags, attributes and scraps in any order."""

from __future__ import annotations

from hypothesis import strategies as st

from dowse.parse.html import _KIND_OF_NAME

__all__ = ["ATTRIBUTES", "PIECES", "names", "soup", "start_tags"]

OTHER_NAMES = (
    "b i em font span svg math g path desc foreignObject mi annotation-xml plaintext listing input col colgroup button "
    'nobr embed param wbr keygen basefont bgsound command image isindex object marquee ruby rt u-x a<b a"b svg:a use'
)
ATTRIBUTES = [
    "hidden", "HIDDEN=x", 'style="DISPLAY : None"', "style=visibility:hidden", "style=none", 'style="dıſplay:none"',
    "href=x", 'href="y z&amp;q"', "href", "href=''", "href='a\"b<c>'", "title=x", 'title="\n"', 'title=" x  y"',
    f'title="{"w " * 300}"', 'rel="NoFollow  Ugc"', 'rel="ſK\u2028X"', "rel=canonical", "alt=pic", 'alt="a&nbsp;b"',
    "src=s", "name=n", "name=robots", "http-equiv=refresh", 'content="5; url=foo"', "content=noindex", "lang=en",
    "xml:lang=de", 'a"b=1', "c'=2", "<d=3", "=x=y", "=", "f=\xa0", 'data-x="1 > 2 && 3"', "id=", "xlink:href=k", "é=é",
    "&amp;=&amp;", "encoding=text/html",
]  # fmt: skip
PIECES = [
    *("x", " ", "\n", "y z", "  a  ", "&nbsp;", "&amp;", "&lt;", '"', "é", "日本", "\u2028", "\x1c", "\x0c", "\x85"),
    *("&#0;", "&#13;", "&#xD800;", "&#x10FFFF;", "&notit;", "&", "<", "</", "<!", "<?", "<!-", "😀", "foo bar " * 60),
    *("<!--c-->", "<!-->", "<!--a--!>", "<!--a--!b-->", "<!-- -- > -->", "<!-- a <p>", "<![CDATA[a<b]]>", "<?php x?>"),
    *("</ x>", "</>", '<!DOCTYPE a<b "x>', "<!x>", "<script><!-- <script> </script> <a href=q>q</a> --></script>"),
    *("<script>a</scripty>b</script>", "<style></styl</style>", "<xmp><b>&amp;</xmp>", "<plaintext>", "<pre>\n\nx"),
    *("<noscript><a href=z>z</noscript>", "<textarea>\n\n<b>&lt;</textarea>", "<pre>\n</pre>", "<title>a<b>c</title>"),
    *("<svg><style>&lt;/style>&lt;a href=x>k&lt;/a>&lt;style></style></svg>", "<svg><title>a<b>c</title></svg>"),
    *("<svg><a href=u>v</a></svg>", "<math><mi><a href=w>", "<template><a href=t>t<div hidden>", "<iframe src=f>a<b>"),
    *("<frameset><frame src=g>", "<select><option>a", "</body>", "</html>", "<table><a href=1>x<tr><td>"),
    *("</p>", "</br>"),
]  # fmt: skip

names = st.sampled_from([*_KIND_OF_NAME, *OTHER_NAMES.split()]) | st.sampled_from(["a", "b", "p", "div", "table", "li"])
start_tags = st.builds(
    lambda name, attributes, end: f"<{' '.join((name, *attributes))}{end}>",
    names, st.lists(st.sampled_from(ATTRIBUTES), max_size=3), st.sampled_from(["", "", " /"]),
)  # fmt: skip
soup = st.lists(
    start_tags | start_tags | names.map(lambda name: f"</{name}>") | st.sampled_from(PIECES), max_size=40
).map("".join)
