"""A recorded web of documentation: what is reached, and what its pages define."""

from __future__ import annotations

from pathlib import Path

from dowse.lab.corpus import open_corpus
from dowse.lab.recrawl.documentation import recorded
from tests.lab.corpus.made import Page, write_warc

_DEFINES = b"""<dl class="py function"><dt id="json.dumps">dumps</dt></dl>
<dl class="py class"><dt id="json.Any">Any</dt>
<dd><dl class="py method"><dt id="json.Any.go">go</dt></dl></dd></dl>
<dl class="footnote"><dt id="id7">7</dt></dl><dl><dt id="other.name">a glossary</dt></dl><a href="/">up</a>"""


def test_definitions_that_links_lead_to(tmp_path: Path) -> None:
    pages = [
        Page("http://a.test/", b'<a href="api.html">API</a> <a href="gone.html">gone</a>'),
        Page("http://a.test/api.html", _DEFINES),
        Page("http://a.test/island.html", _DEFINES),
    ]
    write_warc(tmp_path / "pages.warc.gz", pages)
    (tmp_path / "roots.csv").write_text("topic,set,url\nx,y,http://a.test/\n")
    walk = recorded(open_corpus(tmp_path, jobs=1))
    assert [(page.url, page.links, page.is_entry) for page in walk.pages] == [
        ("http://a.test/", ("http://a.test/api.html",), True),
        ("http://a.test/api.html", ("http://a.test/",), False),
    ]
    assert [page.wire_bytes for page in walk.pages] == [len(pages[0].body), len(_DEFINES)]
    assert [(one.kind, one.fields["name"], one.url) for one in walk.found] == [
        ("APIReference", name, "http://a.test/api.html") for name in ("json.dumps", "json.Any", "json.Any.go")
    ]
