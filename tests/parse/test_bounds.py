from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from dowse.compiled import core
from dowse.parse import bounds, parse_html
from dowse.parse.html import _OPTIONS
from tests.compiled import needs_core, pure
from tests.parse.pages import ARTICLE, FRAMESET, PAGE_1997, mutated_pages, written_pages

TAG_NAMES = (
    "a b i font nobr p div span li dd dt ul ol table tr td caption col select option optgroup input textarea button "
    "form object template svg math g path title desc foreignobject mi h1 center section x-y style script frameset html "
    "body br hr img rt ruby pre plaintext main details search summary noframes"
)
NAMES = TAG_NAMES.split()
SCRAPS = ["x", "x", " ", "<!--", "-->", "<![CDATA[", "]]>", "'", '"', "<!x>", "</>", "<!-->"]


def _token(dice: random.Random, names: list[str]) -> str:
    name = dice.choice(names)
    usual = [f"<{name}>", f"<{name}>", f"<{name}>", f"</{name}>", f"</{name}>", f"</{name}>"]
    return dice.choice([*usual, f"<{name} y=#>", f"<{name} y='</{name}>'>", f"<{name}/>", dice.choice(SCRAPS)])


@st.composite
def repeated(draw: st.DrawFn) -> tuple[str, str]:
    """Something, and then a few tags that come again and again: this is how stacks grow."""
    dice = random.Random(draw(st.integers(0, 2**32)))
    names = dice.choices(NAMES, k=dice.choice([2, 3, 4, len(NAMES)]))
    before, again = ("".join(_token(dice, names) for _ in range(dice.randrange(1, 9))) for _ in range(2))
    return before, again


def _page(before: str, again: str, times: int) -> bytes:
    return (before + "".join(again.replace("#", str(number)) for number in range(times))).encode()


def _depths(page: bytes) -> Iterator[int]:
    """How deep each node of the page's tree is."""
    node, depth = LexborHTMLParser(page, options=_OPTIONS, scripting=True).root, 0
    while node is not None:
        yield depth
        if node.first_child is not None:
            node, depth = node.first_child, depth + 1
            continue
        while node is not None and node.next is None:
            node, depth = (node.parent, depth - 1) if depth else (None, 0)
        node = node.next if node is not None else None


def _reckoned(page: bytes) -> tuple[int, int, int]:
    """Pieces, what may be open at the end of the page, and what it costs."""
    cutter = bounds._Cutter(page)
    pieces = cutter.pieces()
    return len(pieces), cutter._openings.depth, cutter._openings.cost


@pytest.fixture
def unbounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "_MOST_COST", 1 << 60)


@pytest.mark.usefixtures("unbounded")
@settings(max_examples=1_500)
@given(repeated())
def test_no_tree_grows_deeper_or_larger_than_it_was_reckoned_to(tags: tuple[str, str]) -> None:
    few, many = _page(*tags, 30), _page(*tags, 60)
    (_, depth, cost), (pieces, deeper, dearer) = _reckoned(few), _reckoned(many)
    if pieces > 1:  # there was a doubt
        return
    of_few, of_many = list(_depths(few)), list(_depths(many))
    growth = max(of_many) - max(of_few)
    assert growth < 15 or deeper - depth >= growth / 8, tags
    nodes = len(of_many) - len(of_few)
    assert nodes <= 2.5 * max(50, len(of_few)) or dearer - cost >= 8 * nodes, tags


@needs_core
@settings(max_examples=500)
@given(
    st.tuples(repeated(), st.integers(1, 30)).map(lambda drawn: _page(*drawn[0], drawn[1])) | mutated_pages,
    st.sampled_from([10, 100, 1_000, 10_000, 1 << 40]),
    st.sampled_from([1, 2, 200]),
    st.sampled_from([5, 50, 1 << 20]),
)
def test_the_core_reckons_alike(page: bytes, cost: int, attributes: int, tags: int) -> None:
    page = page.replace(b"\0", b"")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (("_MOST_COST", cost), ("_MOST_ATTRIBUTES", attributes), ("MOST_TAGS", tags)):
            patch.setattr(bounds, name, value)
        pieces = bounds._Cutter(page).pieces()
    assert core is not None
    as_it_is = len(pieces) == 1 and page.startswith(pieces[0])
    assert core.cheap_bytes(page, bounds._TABLE, 0, 0, attributes, tags, cost) == (len(pieces[0]) if as_it_is else -1)


def test_sound_pages_are_left_alone() -> None:
    pages = [page.encode() for page in (ARTICLE, PAGE_1997, FRAMESET)] + written_pages()
    items = b"<ul><li>a<li>b <font size=2>c</ul><p>d<table><tr><td><b>e<td>f</table>"
    icons = b"<a href=x><svg viewBox='0 0 1 1'><title>t</title><g><path d='M0'/><path d=z /></g></svg></a>"
    pages += [piece * 1_500 for piece in (b"<div></div>", items, icons, b"<p>a <i>b</i> <a name=c>d", b"<dt>a<dd>b")]
    pages.append("".join(f"<n{number}></n{number}>" for number in range(1_500)).encode())
    for page in pages:
        assert bounds.bounded(page) == [page]
        with pure():
            assert bounds.bounded(page) == [page]


@pytest.mark.parametrize(
    "again",
    [
        "<div><script></div></script>",
        "<div><select></div></select>",
        "<div><table><td></div></table>",
        "<div></div-x>",
        "<b-x></b>",
        "<optgroup>",
        "<rt>",
        "<dd><li>",
        "<svg><title><p></title></svg>",
        "<body a#=1 b#=2 c#=3 d#=4 e#=5>",
        "<p>x</body></html><html a#=1 b#=2 c#=3 d#=4>",
        "<table><b y=#></table><p>x",
        f"<p><b y=#>{'<div>' * 9}</b>{'</div>' * 9}",
        "<table>x<!>",
    ],
)
def test_what_grows_is_cut(again: str, monkeypatch: pytest.MonkeyPatch) -> None:
    page = _page("", again, 3_000)
    monkeypatch.setattr(bounds, "_MOST_COST", 1_000_000)
    monkeypatch.setattr(bounds, "_PIECE_COST", 200_000)
    pieces = bounds.bounded(page)
    assert len(pieces) > 2
    assert page.startswith(b"".join(pieces))
    assert max(max(_depths(piece)) for piece in pieces) < 3_000


def test_a_tag_keeps_its_first_attributes() -> None:
    names = " ".join(f"a{number}=1" for number in range(1_000))
    few = " ".join(f"a{number}=1" for number in range(250))
    page = f"<p>{'x' * 70_000}<div {names}>a</div {names}><svg><path {names}/></svg><p {few}>".encode()
    [found] = bounds.bounded(page)
    assert found.count(b"a199=1") == 4
    assert b"a200=1" not in found
    quoted = names.replace("=1", '="></div>"')
    [found] = bounds.bounded(f"<p>{'x' * 70_000}<div {quoted}>a".encode())
    assert found.endswith(b'a199="></div>" >a')


def test_a_page_ends_after_so_many_tags() -> None:
    [page] = bounds.bounded(b"<p>x" * (bounds.MOST_TAGS + 5))
    assert page == b"<p>x" * bounds.MOST_TAGS
    assert bounds.bounded(b"<!>" * (bounds.MOST_TAGS + 5)) == [b"<!>" * bounds.MOST_TAGS]


@pytest.mark.parametrize("xhtml", [True, False])
def test_an_empty_script_of_xhtml_swallows_nothing(xhtml: bool) -> None:
    [page] = bounds.bounded(b"<script src=x /><p>a", xhtml=xhtml)
    assert page == (b"<script src=x ></script><p>a" if xhtml else b"<script src=x /><p>a")


def test_pieces_are_one_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut where nothing is open, a page is what it is as a whole."""
    part = "<h2>Part #</h2><p>Words of # <a href=/#>link #</a> more</p><ul><li><a href=/i#><img alt='#'></a></ul>"
    html = "<html lang=en><title>t</title><base href=/b/>" + "".join(part.replace("#", str(n)) for n in range(600))
    html += "<link rel=canonical href=c><meta name=robots content=nofollow><meta http-equiv=refresh content='1;url=r'>"
    whole = parse_html([html.encode()], url="http://a.org/")
    monkeypatch.setattr(bounds, "_MOST_COST", 3_000)
    monkeypatch.setattr(bounds, "_PIECE_COST", 8_000)
    pieces = bounds.bounded(html.encode())
    assert len(pieces) > 5
    assert b"".join(pieces) == html.encode()
    joined = parse_html(pieces, url="http://a.org/")
    assert " ".join(joined.raw_text.split()) == " ".join(whole.raw_text.split())
    assert [link.href for link in joined.links] == [link.href for link in whole.links]
    lines = joined.raw_text.split("\n")
    for link in joined.links:
        if "link" in link.anchor:
            assert link.anchor in lines[link.paragraph - 1]
            assert joined.outline.path_names(link.element) in ("body/p", "p", "body")
    assert joined.outline.lines == len(lines) or not lines[-1]
    assert joined.outline.ends == [min(end, joined.outline.lines) for end in joined.outline.ends]
    for name in ("title", "lang", "base", "canonical", "refresh", "noindex", "nofollow"):
        assert getattr(joined, name) == getattr(whole, name), name
