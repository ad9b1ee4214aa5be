from __future__ import annotations

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

from dowse.lab.report.crawl_report import write_report
from dowse.model.batch import Batch
from dowse.model.budget import Spent
from dowse.model.errors import NotACrawl, UserError
from dowse.model.page import PageContent
from dowse.model.records import CandidateRow, CandidateState, EventRow, SiteRow
from dowse.model.shown import shown
from dowse.store import CrawlReader, HarvestCurve
from tests.lab import made

ATTACKS = (
    "<script>alert(1)</script>", "</title></style></pre><img src=http://evil.example/x onerror=alert(2)>",
    "\"><a href='javascript:alert(3)'>x</a>", "' onmouseover='alert(4)", "<!-- ]]> <svg/onload=alert(5)>",
    "safe\u202egnp.exe\u2066", "\x00\x1b[31mred\x9b", "a\u200b\ufeff\u00adb", "Z" + "\u0300" * 500,
    "\u2028line\u2029\u0085", "W" * 5_000, "{{7*7}} ${x} %s {0}", "\U000e0041\ufdd0",
)  # fmt: skip
ELEMENTS = {
    "html", "head", "meta", "title", "style", "body", "main", "header", "p", "h1", "h2", "dl", "div", "dt", "dd",
    "small", "figure", "svg", "g", "line", "polyline", "polygon", "circle", "rect", "text", "table", "thead", "tbody",
    "tr", "th", "td", "a", "bdi", "span", "b", "ul", "li", "pre", "details", "summary",
}  # fmt: skip
ATTRIBUTES = {
    "charset", "http-equiv", "content", "name", "lang", "class", "scope", "style", "href", "rel", "title", "role",
    "aria-label", "xmlns", "viewbox", "font-family", "points", "x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "r",
    "text-anchor", "stroke-dasharray", "transform", "width", "height", "rx", "open", "dir", "colspan",
}  # fmt: skip


class Reader(HTMLParser):
    """What a browser makes of the page: its tags, its attributes and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] != "style":
            self.text += data + ("" if self.open[-1] in ("bdi", "b", "span") else " ")

    def links(self) -> list[str]:
        return [attributes["href"] for tag, attributes in self.tags if tag == "a"]


def report(folder: Path) -> tuple[str, Reader]:
    page = write_report(folder).read_text(encoding="utf-8")
    return page, Reader(page)


def figures(page: str) -> dict[str, str]:
    return dict(re.findall(r"<dt>([^<]*)</dt><dd>([^<]*)<small>", page))


def check_harmless(page: str, read: Reader) -> None:
    """Nothing of the page runs, nothing is loaded, and nothing but http(s) is linked."""
    for tag, attributes in read.tags:
        assert tag in ELEMENTS
        assert set(attributes) <= ATTRIBUTES
        assert tag == "a" or not {"href", "src", "srcset", "data"} & set(attributes)
    assert all(href.startswith(("http://", "https://")) for href in read.links())
    style = page[page.index("<style>") : page.index("</style>")]
    assert not re.search(r"url\(|@import|expression", style)
    assert "default-src 'none'" in page.replace("&#x27;", "'")
    assert not re.search(
        "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\U000e0000-\U000e007f]", page
    )


def test_tells_what_the_records_say(tmp_path: Path) -> None:
    made.crawl(tmp_path, 300)
    page, read = report(tmp_path)
    check_harmless(page, read)
    with CrawlReader(tmp_path) as crawl:
        summary, best, sites = crawl.summary(), crawl.top_pages(20), crawl.top_sites(20)
    assert summary.relevant > 50
    told = figures(page)
    assert told["pages fetched"] == "300"
    assert told["relevant pages"] == str(summary.relevant)
    assert told["harvest rate"] == f"{summary.relevant / 3:.1f} %"
    assert told["downloaded"] == "3.0 MB"
    assert told["requests"] == str(summary.requests)
    assert told["time"] == "1 min 33 s"
    assert told["frontier left"] == str(summary.waiting)
    assert "Perovskite solar cells" in read.text
    assert "2023-11-14 22:13 UTC to 2023-11-14 22:14 UTC" in read.text
    assert "stopped – budget: pages" in read.text
    hrefs = read.links()
    assert hrefs[:20] == [view.url for view in best]
    assert hrefs[40:45] == [site.origin for site in sites], "after ten borderline pages on either side"
    for view in best:
        assert view.score is not None
        assert view.title in read.text
        assert f"{view.score:.3f}" in read.text
        assert f"perovskit {view.score * 0.6:.3f}, solar {view.score * 0.3:.3f}" in read.text


def test_names_the_page_a_find_was_found_on(tmp_path: Path) -> None:
    made.crawl(tmp_path, 40)
    _, read = report(tmp_path)
    with CrawlReader(tmp_path) as crawl:
        best = crawl.top_pages(1)[0]
    assert f"from a seed, found on {made.url(best.id // 3)}" in read.text


def test_stage_table_has_the_means_and_shares(tmp_path: Path) -> None:
    made.crawl(tmp_path, 10)
    page, _ = report(tmp_path)
    rows = re.findall(r"<td>([a-z -]+)</td><td class=\"n\">([\d.]+) s</td><td[^>]*><span[^>]*><span>([\d.]+) %", page)
    assert rows == [
        ("connection", "0.1310", "73.1"), ("name look-up", "0.0040", "2.2"), ("connecting", "0.0310", "17.3"),
        ("waiting for the server", "0.0960", "53.5"), ("download", "0.0470", "26.2"), ("processing", "0.0013", "0.7"),
        ("parsing", "0.0009", "0.5"), ("judging", "0.0004", "0.2"), ("overall", "0.1793", "100.0"),
    ]  # fmt: skip


def test_outcomes_refusals_and_events_are_told(tmp_path: Path) -> None:
    made.crawl(tmp_path, 100)
    _, read = report(tmp_path)
    with CrawlReader(tmp_path) as crawl:
        for outcome in crawl.summary().outcomes:
            assert outcome.reason in read.text
            assert f"{outcome.count:,}" in read.text
    assert re.search(r"host 2,100 https://ads.example/host/0\?id=0 ?https", read.text)
    assert read.text.count("https://ads.example/host/") == 3  # of the five kept
    assert "Crawl-delay 86400 s taken as 60 s" in read.text
    assert "2023-11-14 22:13:29 site closed" in read.text


def test_settings_are_told_without_passwords(tmp_path: Path) -> None:
    made.crawl(tmp_path, 1)
    page, read = report(tmp_path)
    assert '[scope]\nreach = "any"\nexclude = ["/login*"]' in read.text
    assert "[scope.traps]\nmax_per_host = 50000" in read.text
    assert 'keywords = [{ text = "perovskite", weight = 3.0 }' in read.text
    assert "…@proxy.example:3128" in read.text
    assert "secret" not in page


def hostile(folder: Path) -> None:
    topic = {
        "name": ATTACKS[0],
        "query": ATTACKS[1],
        "seeds": {"urls": list(ATTACKS)},
        ATTACKS[2]: {ATTACKS[0]: ATTACKS[3]},
    }
    with made.create(folder, topic=topic, version=ATTACKS[0]) as store:
        store.start_run(made.WALL)
        for n, attack in enumerate(ATTACKS):
            bad = f"javascript:alert('{attack}')" if n % 2 else f"https://evil.example/{attack}"
            store.commit(Batch(
                candidates=[CandidateRow(n, bad, n, 0, None, 1.0, state=CandidateState.FAILED, reason=attack)],
                pages=[made.page(n, relevant=True, url=bad, final_url=bad, content=PageContent(attack),
                                 verdict=[(f"term: {attack}", 1.0, 1.0)])],
                sites={n: SiteRow(n, bad, attack, robots_status=attack)},
                events=[EventRow(made.WALL, attack, attack)], refusals={attack: 1}, refusal_samples=[(attack, bad)],
            ))  # fmt: skip
        store.end_run(f"failed: {ATTACKS[1]}", made.WALL)


def test_page_text_is_data(tmp_path: Path) -> None:
    hostile(tmp_path)
    page, read = report(tmp_path)
    check_harmless(page, read)
    assert "<script" not in page.lower()
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    for attack in ATTACKS:
        assert shown(attack)[:60] in read.text
    assert "javascript:alert('" in read.text  # shown; no link leads there (check_harmless)
    assert "W" * 500 not in read.text
    assert max(len(line) for line in re.findall("[\u0300-\u036f]+", page)) == 4


def test_an_empty_crawl_has_a_report(tmp_path: Path) -> None:
    made.create(tmp_path).close()
    page, read = report(tmp_path)
    check_harmless(page, read)
    told = figures(page)
    assert told["pages fetched"] == told["relevant pages"] == told["requests"] == "0"
    assert told["harvest rate"] == "0 %"
    assert "not started" in read.text
    assert "no page fetched yet" in read.text
    assert "Best pages" not in read.text


def test_a_folder_without_settings_has_a_report(tmp_path: Path) -> None:
    made.create(tmp_path, topic=None, version=None).close()
    _, read = report(tmp_path)
    assert "A crawl" in read.text


def test_a_running_crawl_has_a_report_of_the_last_commit(tmp_path: Path) -> None:
    with made.create(tmp_path) as store:
        store.start_run(made.WALL)
        store.commit(made.pages_batch(0, 30, 60))
        first, read = report(tmp_path)
        check_harmless(first, read)
        assert figures(first)["pages fetched"] == "30"
        assert "still running, or cut off" in read.text
        store.commit(made.pages_batch(30, 30, 60))
        assert figures(report(tmp_path)[0])["pages fetched"] == "60"
        assert figures(first)["pages fetched"] == "30"


def test_the_curve_ends_where_the_figures_do(tmp_path: Path) -> None:
    """Pages recorded between two questions to the records show in neither."""
    with made.create(tmp_path) as store:
        store.commit(made.pages_batch(0, 30, 60))

        class Growing(CrawlReader):
            def harvest_curve(self) -> HarvestCurve:
                store.commit(made.pages_batch(30, 30, 60))
                return super().harvest_curve()

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("dowse.lab.report.crawl_report.CrawlReader", Growing)
            page, read = report(tmp_path)
    assert figures(page)["pages fetched"] == "30"
    assert "among 30 fetched" in page
    assert figures(page)["relevant pages"] + " relevant" in read.text


def test_a_resumed_crawl_lists_its_runs(tmp_path: Path) -> None:
    with made.create(tmp_path) as store:
        for n in range(14):
            store.start_run(made.WALL + 60 * n)
            if n % 2:
                store.end_run("budget: requests", made.WALL + 60 * n + 30)
        store.commit(Batch(spent=Spent(requests=4), statistics={"n": 1}))
    _, read = report(tmp_path)
    assert "14 runs" in read.text
    assert "The last 10 of 14" in read.text
    assert read.text.count("interrupted") == 5


def test_the_report_stays_short(tmp_path: Path) -> None:
    """What grows with a crawl (pages, sites, reasons, rules, events, settings) is cut."""
    sizes = []
    for name, count in (("small", 300), ("large", 6_000)):
        folder = tmp_path / name
        topic = {
            **made.TOPIC,
            "seeds": {"urls": [made.url(n) for n in range(count)]},
            "x": {f"k{n}": {"a": n} for n in range(count)},
        }
        with made.create(folder, topic=topic) as store:
            store.commit(made.pages_batch(0, count, count))
            store.commit(Batch(
                candidates=[CandidateRow(count + n, "http://a.example/", 0, 1, 0, 0.0, state=CandidateState.FAILED,
                                         reason=f"dns: no name {n}") for n in range(count)],
                sites={n: SiteRow(n, f"http://s{n}.example", f"s{n}.example", relevant=n) for n in range(count)},
                events=[EventRow(made.WALL, f"kind {n}", "x" * 1_000) for n in range(count)],
                refusals={f"rule {n}": n + 1 for n in range(count)},
                refusal_samples=[(f"rule {n}", "http://b.example/" + "y" * 3_000) for n in range(count)],
            ))  # fmt: skip
        page, read = report(folder)
        sizes.append(len(page))
        assert f"The first 20 of {count:,} sites" in read.text
        assert f"The last 40 of {count:,}" in read.text
        assert f"{count - 24:,} other reasons" in read.text
    assert sizes[1] < 1.2 * sizes[0]
    assert sizes[1] < 300_000


def test_the_same_records_give_the_same_page(tmp_path: Path) -> None:
    made.crawl(tmp_path, 50)
    assert write_report(tmp_path).read_bytes() == write_report(tmp_path, tmp_path / "again.html").read_bytes()


def test_says_what_is_wrong(tmp_path: Path) -> None:
    with pytest.raises(NotACrawl):
        write_report(tmp_path)
    made.create(tmp_path / "crawl").close()
    with pytest.raises(UserError, match=r"cannot write .*no/report.html: No such file"):
        write_report(tmp_path / "crawl", tmp_path / "no" / "report.html")
    assert write_report(tmp_path / "crawl", tmp_path / "out.html") == tmp_path / "out.html"
    assert {path.name for path in tmp_path.iterdir()} == {"crawl", "out.html"}


def test_the_pictures_are_whole_xml(tmp_path: Path) -> None:
    made.crawl(tmp_path, 80)
    page, _ = report(tmp_path)
    drawings = re.findall(r"<svg.*?</svg>", page)
    assert len(drawings) == 2
    for drawing in drawings:
        assert ElementTree.fromstring(drawing).tag == "{http://www.w3.org/2000/svg}svg"


def test_a_report_does_without_matplotlib() -> None:
    code = "import sys, dowse.lab.report.crawl_report; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
