from __future__ import annotations

import gzip
import shutil
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from dowse.lab.corpus import open_corpus
from dowse.model.errors import UserError
from tests.lab.corpus.made import HTML, Page, as_one_member, odd_pages, write_record, write_warc

WGET = Path(__file__).parent / "wget"


def test_every_answer_has_a_row_with_its_figures(tmp_path: Path) -> None:
    pages = list(odd_pages())
    write_warc(tmp_path / "x.warc.gz", pages)
    corpus = open_corpus(tmp_path, jobs=1)
    index = corpus.index
    assert list(index.urls) == [page.url for page in pages]
    assert index.columns["status"].tolist() == [int(page.status.split()[0]) for page in pages]
    assert [corpus.number(page.url) for page in pages] == list(range(len(pages)))
    assert corpus.number("HTTP://ODD.test/empty.html#top") == 3
    assert corpus.number("http://odd.test/nothing") is None
    assert corpus.number("mailto:x") is None
    for number, page in enumerate(pages):
        response = corpus.response(number)
        packed = page.url.endswith("packed")
        assert response.body == (gzip.decompress(page.body) if packed else page.body)
        assert index.columns["wire_bytes"][number] == len(page.body) == response.wire_bytes
        assert index.columns["body_bytes"][number] == len(response.body)
        assert index.content_types[number] == page.content_type.partition(";")[0]
    assert np.isnan(index.columns["total_s"]).all()
    old = corpus.number("http://odd.test/old")
    assert old is not None
    assert index.locations[old] == "http://odd.test/article.html"


@pytest.mark.parametrize("compress", [True, False])
def test_a_file_that_is_one_member_or_plain_gives_the_same(tmp_path: Path, compress: bool) -> None:
    for name in ("members", "other"):
        (tmp_path / name).mkdir()
    pages = list(odd_pages())
    write_warc(tmp_path / "members" / "x.warc.gz", pages)
    path = write_warc(tmp_path / "other" / "x.warc.gz", pages, compress=compress)
    if compress:
        as_one_member(path)
    one, other = open_corpus(tmp_path / "members", jobs=1), open_corpus(tmp_path / "other", jobs=1)
    assert other.index.columns["skip"].any() == compress
    assert [one.response(n) for n in range(len(one))] == [other.response(n) for n in range(len(other))]
    for name, column in one.pages.columns.items():
        assert column.tobytes() == other.pages.columns[name].tobytes()


def test_the_best_status_counts_then_the_first(tmp_path: Path) -> None:
    def page(body: bytes, status: str = "200 OK", url: str = "http://odd.test/") -> Page:
        return Page(url, body, HTML, status)

    write_warc(tmp_path / "a.warc.gz", [page(b"", "503 Busy"), page(b"", "302 Found"), page(b"", url="http://b.test/")])
    write_warc(tmp_path / "b.warc", [page(b"first"), page(b"second"), page(b"", "404 Gone")], compress=False)
    corpus = open_corpus(tmp_path, jobs=1)
    assert list(corpus.index.urls) == ["http://b.test/", "http://odd.test/"]
    assert corpus.response(1).body == b"first"
    assert corpus.index.skipped == {"other records of a URL": 4}


def test_a_crawl_by_wget(tmp_path: Path) -> None:
    for path in WGET.glob("*.warc.gz"):
        shutil.copy(path, tmp_path)
    corpus = open_corpus(tmp_path, jobs=1)
    base = "http://127.0.0.1:8937"
    found = {url: int(status) for url, status in zip(corpus.index.urls, corpus.index.columns["status"], strict=True)}
    assert found == {
        f"{base}/": 200, f"{base}/a.html": 200, f"{base}/moved": 301, f"{base}/missing": 404, f"{base}/same.html": 200,
    }  # fmt: skip
    home = corpus.number(f"{base}/")
    assert home is not None
    response = corpus.response(home)  # it came gzipped, in chunks
    assert response.body.startswith(b"<!doctype html><html lang=en><title>Solar cells")
    assert response.wire_bytes < len(response.body)
    page, same = corpus.number(f"{base}/a.html"), corpus.number(f"{base}/same.html")
    assert set(corpus.graph.links_of(home).tolist()) == {page, same}  # the redirect leads to the first of them
    assert corpus.leaving[home] == 1


def test_a_revisit_alone_is_read_from_its_original(tmp_path: Path) -> None:
    with (tmp_path / "x.warc.gz").open("wb") as stream:
        writer = WARCWriter(stream, gzip=True)
        http = StatusAndHeaders("200 OK", [("Content-Type", HTML)], "HTTP/1.1")
        body = b"<title>Solar</title><a href=/a>a</a>"
        first = writer.create_warc_record("http://a.test/", "response", BytesIO(body), len(body), http_headers=http)
        digest = first.rec_headers["WARC-Payload-Digest"]
        write_record(writer, first)
        for url, known in (("http://b.test/", digest), ("http://c.test/", "sha1:UNKNOWN")):
            http = StatusAndHeaders("200 OK", [("Content-Type", HTML)], "HTTP/1.1")
            record = writer.create_revisit_record(url, known, "http://a.test/", "2024-01-01T00:00:00Z", http)
            write_record(writer, record)
        plain = writer.create_warc_record(
            "http://d.test/", "resource", BytesIO(b"<p>solar"), 8, warc_content_type="text/html"
        )
        write_record(writer, plain)
    corpus = open_corpus(tmp_path, jobs=1)
    assert list(corpus.index.urls) == ["http://a.test/", "http://b.test/", "http://d.test/"]
    assert corpus.index.skipped == {"revisits of what is not here": 1}
    assert corpus.response(1).body == body
    assert corpus.response(1).url == "http://b.test/"
    assert list(corpus.pages.strings["title"]) == ["Solar", "Solar", ""]
    assert corpus.index.columns["body_bytes"].tolist() == [len(body), len(body), 8]


def test_what_is_cut_or_broken_is_counted(tmp_path: Path) -> None:
    path = write_warc(tmp_path / "x.warc.gz", odd_pages())
    path.write_bytes(path.read_bytes()[:-700])
    corpus = open_corpus(tmp_path, jobs=1)
    assert corpus.index.skipped == {"unreadable": 1}
    assert 0 < len(corpus) < len(list(odd_pages()))


def test_no_corpus_is_told_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is no folder"):
        open_corpus(tmp_path / "none")
    with pytest.raises(UserError, match="no WARC files"):
        open_corpus(tmp_path)
    (tmp_path / "x.warc.gz").write_bytes(b"")
    with pytest.raises(UserError, match="no recorded response"):
        open_corpus(tmp_path)
    (tmp_path / "x.warc.gz").unlink()
    (tmp_path / "y.warc").mkdir()
    with pytest.raises(UserError, match=r"cannot read .*y\.warc"):
        open_corpus(tmp_path)
