"""Content blocks against the paper's algorithm taken literally, and on portal pages whose regions are known."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dowse.model.block_rule import BlockRule
from dowse.parse import Document, block_starts, parse_page
from dowse.parse.blocks import partition
from dowse.parse.outline import TAGS, Outline
from tests.compiled import needs_core, pure
from tests.parse.pages import ARTICLE, PAGE_1997, mutated_pages, written_pages

URL = "http://example.org/"


def parsed(html: str) -> Document:
    return parse_page(html.encode(), url=URL, content_type="text/html; charset=utf-8")


def block_texts(document: Document) -> list[str]:
    lines = ["", *document.raw_text.split("\n")]
    starts = block_starts(document)
    ends = [*starts[1:], len(lines)]
    return [" ".join(" ".join(lines[start:end]).split()) for start, end in zip(starts, ends, strict=True)]


# -- the algorithm, literally ------------------------------------------------------------------------------------------


@dataclass
class Node:
    """An element of a page, or (without children) a line of loose text with so many links."""

    links: int = 0
    children: list[Node] | None = None
    lines: list[int] = field(default_factory=list)

    @property
    def is_line(self) -> bool:
        return self.children is None

    def all_links(self) -> int:
        return self.links + sum(child.all_links() for child in self.children or ())

    def all_lines(self) -> list[int]:
        return self.lines + [line for child in self.children or () for line in child.all_lines()]

    def height(self) -> int:
        """Block_Height, of the elements that show something."""
        return max((child.height() + 1 for child in self.children or () if not child.is_line and child.all_lines()),
                   default=0)  # fmt: skip


def runs(children: list[Node]) -> list[list[Node]]:
    """Children that show something, in document order, loose lines that touch as one."""
    found: list[list[Node]] = []
    for child in filter(Node.all_lines, children):
        if child.is_line and found and found[-1][0].is_line:
            found[-1].append(child)
        else:
            found.append([child])
    return found


def literal(root: Node, alpha: float, k: int) -> list[list[int]]:
    """The lines of each block: the paper's queue, loose runs as residual blocks, then what has no link joins the
    next."""
    s = alpha * root.height()
    blocks: list[tuple[list[int], int]] = []
    queue = deque([root])
    while queue:
        v = queue.popleft()
        children = v.children or []
        loose = sum(child.links for child in children if child.is_line)
        held = [child.all_links() for child in children if not child.is_line]
        if root.height() > 0 and not v.is_line and max([loose, *held]) >= k and 0 < v.height() >= s:
            for run in runs(children):
                if run[0].is_line:
                    blocks.append(([line for each in run for line in each.lines], sum(each.links for each in run)))
                else:
                    queue.append(run[0])
        elif v.all_lines():
            blocks.append((v.all_lines(), v.all_links()))
    blocks.sort()
    joined: list[list[int]] = []
    waiting: list[int] = []
    for lines, links in blocks:
        waiting += lines
        if links:
            joined.append(waiting)
            waiting = []
    return [*joined, waiting] if waiting else joined


trees = st.recursive(
    st.builds(Node, links=st.integers(0, 2)), lambda below: st.builds(Node, children=st.lists(below, max_size=5)),
    max_leaves=30,
)  # fmt: skip


def outlined(root: Node) -> tuple[Outline, list[int]]:
    """The tree as the walk leaves it: its outline, and the line of each link. Numbers the lines of the tree."""
    outline, link_lines, line = Outline(), [], 1

    def walk(node: Node, parent: int) -> None:
        nonlocal line
        if node.is_line:
            node.lines = [line]
            link_lines.extend([line] * node.links)
            line += 1
            return
        number = 0
        if parent >= 0:
            number = len(outline)
            outline.tags.append(TAGS.index("div"))
            outline.parents.append(parent)
            outline.starts.append(line)
            outline.ends.append(0)
            outline.heights.append(0)
        for child in node.children or ():
            walk(child, number)
        outline.ends[number] = line
        if parent >= 0 and outline.starts[number] < line:
            outline.heights[parent] = max(outline.heights[parent], outline.heights[number] + 1)

    walk(root, -1)
    return outline, link_lines


@given(st.builds(Node, children=st.lists(trees, max_size=6)), st.sampled_from([0.0, 0.25, 0.5, 0.8, 1.0]),
       st.integers(1, 3))  # fmt: skip
@settings(max_examples=300, deadline=None)
def test_blocks_are_those_of_the_literal_algorithm(root: Node, alpha: float, k: int) -> None:
    outline, link_lines = outlined(root)
    starts = partition(outline, link_lines, BlockRule(alpha, k))
    ends = [*starts[1:], outline.lines]
    found = [list(range(start, end)) for start, end in zip(starts, ends, strict=True) if start < end]
    assert found == literal(root, alpha, k)


@needs_core
@given(st.builds(Node, children=st.lists(trees, max_size=6)), st.sampled_from([0.0, 0.5, 1.0]),
       st.integers(1, 3))  # fmt: skip
@settings(deadline=None)
def test_compiled_or_not_the_blocks_are_the_same(root: Node, alpha: float, k: int) -> None:
    outline, link_lines = outlined(root)
    starts = partition(outline, link_lines, BlockRule(alpha, k))
    with pure():
        assert starts == partition(outline, link_lines, BlockRule(alpha, k))


def test_links_beyond_the_outline_are_an_error_with_the_core_and_without() -> None:
    with pytest.raises(IndexError):
        partition(Outline(), [7])


# -- pages -------------------------------------------------------------------------------------------------------------

PORTAL = """
<title>Portal</title><body>
<table><tr><td><a href=/>Home</a> <a href=/news>News</a> <a href=/mail>Mail</a></td></tr></table>
<table><tr>
 <td><h3>Science</h3><ul><li><a href=/bio>Biology</a><li><a href=/phy>Physics</a><li>and <a href=/s>more</a></ul></td>
 <td><h3>Sport</h3><ul><li><a href=/t/ice>Ice hockey</a><li><a href=/t/soc>Soccer</a></ul></td>
</tr><tr>
 <td><h3>Energy</h3><ul><li><a href=/e/sol>Solar cells</a><li><a href=/e/win>Wind</a></ul></td>
 <td><h3>Travel</h3><ul><li><a href=/v/it>Italy</a></ul></td>
</tr></table>
<p>Copyright by <a href=/us>us</a>, all rights reserved.</p>
</body>"""


def test_a_portal_falls_into_its_regions() -> None:
    assert block_texts(parsed(PORTAL)) == [
        "Home News Mail",
        "Science Biology Physics and more",
        "Sport Ice hockey Soccer",
        "Energy Solar cells Wind",
        "Travel Italy",
        "Copyright by us, all rights reserved.",
    ]


def test_a_page_of_divs_falls_into_its_regions() -> None:
    html = """<body><div id=page>
    <header><nav><ul><li><a href=/>Start</a><li><a href=/b>Blog</a></ul></nav></header>
    <main>
      <section><h2>Solar</h2><div><p>Cells of <a href=1>perovskite</a>.</p></div></section>
      <section><h2>Hockey</h2><div><p>The <a href=2>league</a>.</p><p>No link.</p></div></section>
    </main>
    <aside><div><h4>See also</h4><ul><li><a href=3>Wind</a></ul></div></aside>
    <footer><p>By <a href=4>us</a></p></footer>
    </div></body>"""
    assert block_texts(parsed(html)) == [
        "Start Blog", "Solar Cells of perovskite.", "Hockey The league. No link.", "See also Wind", "By us",
    ]  # fmt: skip


def test_loose_text_between_regions_joins_the_region_below_it() -> None:
    html = """<body><b>Databases</b><br><ul><li><ul><li><a href=1>SQL</a></ul></ul>
    <b>Networks</b><ul><li><ul><li><a href=2>TCP</a></ul></ul> see <a href=3>also</a>"""
    assert block_texts(parsed(html)) == ["Databases SQL", "Networks TCP", "see also"]


@pytest.mark.parametrize(
    "html", ["", "no markup at all", "<p>One.</p><p>Two.</p>", "<frameset><frame src=a><frame src=b></frameset>"]
)
def test_a_page_without_regions_is_one_block(html: str) -> None:
    assert len(block_starts(parsed(html))) == 1


def test_text_without_markup_is_one_block() -> None:
    document = parse_page(b"a\n\nb\nc", url=URL, content_type="text/plain")
    assert block_starts(document) == [1]


def test_deep_pages_are_cut_without_recursion() -> None:
    html = "<body>" + "<div>" * 5_000 + "<a href=x>x</a>" + "</div>" * 5_000
    starts = block_starts(parsed(html))
    assert starts == [1]


def check_whole(document: Document) -> None:
    """Every line, so every word and every link, is in exactly one block, and a block holds what it should."""
    starts, lines = block_starts(document), ["", *document.raw_text.split("\n")]
    assert starts[0] == 1
    assert starts == sorted(set(starts))
    assert starts[-1] <= max(1, document.outline.lines - 1)
    assert all(1 <= link.paragraph < document.outline.lines for link in document.links)
    assert all(not line.strip() for line in lines[document.outline.lines :])
    linked = {link.paragraph for link in document.links}
    blocks = zip(starts, [*starts[1:], document.outline.lines], strict=True)
    bare = [not linked.intersection(range(start, end)) for start, end in blocks]
    assert not any(bare[:-1]), "only what stands after the last link is a block without links"


@settings(max_examples=100, deadline=None)
@given(mutated_pages)
def test_every_word_and_link_of_a_mutated_page_is_in_one_block(body: bytes) -> None:
    check_whole(parse_page(body, url=URL, content_type="text/html"))


def test_every_word_and_link_of_real_pages_is_in_one_block() -> None:
    for body in (ARTICLE.encode(), PAGE_1997.encode(), *written_pages()):
        document = parse_page(body, url=URL, content_type="text/html; charset=utf-8")
        check_whole(document)
        assert len(block_starts(document)) > 1
