"""A page on its whole way, run where ``PageContent`` and ``Links`` have a field more than they have today.

``python -m tests.model.new_field FOLDER OLD``: FOLDER is for a new crawl, OLD holds one of the version before. What was
found of the two fields on each stage is printed as JSON.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from dowse.engine.page.step import PageStep
from dowse.engine.workers.job import Job
from dowse.engine.workers.wire import pack_work, unpack_work
from dowse.frontier.scope import StaticScope
from dowse.judge import build_judge
from dowse.lab.corpus import open_corpus
from dowse.model.batch import Batch
from dowse.model.http import Response
from dowse.model.page import Digest
from dowse.model.records import CandidateRow, PageRow, SiteRow, link_rows
from dowse.model.topic import Scope, Topic
from dowse.store import CrawlReader, CrawlStore, export
from dowse.store.database import connect_reader
from tests.docs.schema_reference import TARGET, reference

URL = "http://site.example/"
BODY = b"<title>Solar</title><p>one<p>two <a href=/a>solar cells</a><p>three <a href=/b>wind</a>"


def told(digest: Digest) -> list[Any]:
    content: Any = digest.content
    links: Any = digest.links
    return [content.n_lines, links.lengths.tolist()]


def recorded(folder: Path) -> list[Any]:
    """As the reader, SQL and an export have it."""
    with CrawlReader(folder) as crawl:
        page: Any = crawl.page(URL)
    connection = connect_reader(folder)
    lengths = [length for (length,) in connection.execute("SELECT length FROM links ORDER BY rowid")]
    connection.close()
    export(folder, "jsonl", folder / "pages.jsonl")
    [exported] = map(json.loads, (folder / "pages.jsonl").read_text(encoding="utf-8").splitlines())
    return [page.n_lines, lengths, exported["n_lines"]]


def main(folder: Path, old: Path) -> None:
    judge, scope = build_judge(Topic(query="solar cells")), StaticScope(Scope(reach="any"))
    response = Response(URL, 200, (("Content-Type", "text/html"),), BODY)
    work = unpack_work(pack_work(PageStep(judge, scope, 100)(Job(response, 0.0))))
    assert work.digest is not None
    digest, found = work.digest, {"wire": told(work.digest)}
    page = PageRow(id=0, url=URL, final_url=URL, fetched_at=0.0, outcome="fetched", status=200, content=digest.content,
                   archive=work.archive)  # fmt: skip
    batch = Batch(
        candidates=[CandidateRow(id, url, 0, 0, None, 1.0) for id, url in enumerate((URL, *digest.links.urls))],
        sites={0: SiteRow(0, URL[:-1], "site.example")},
        pages=[page],
        links=list(link_rows(0, np.array([1, 2]), digest.links, None)),
    )
    with CrawlStore.create(folder, {}, 0.0) as store:
        store.commit(batch)
    found["records"] = recorded(folder)
    found["lab"] = told(open_corpus(folder, jobs=1).digests(judge, scope, 100)(0))
    found["read as it was"] = recorded(old)
    with CrawlStore.open(old) as store:
        store.commit(Batch(pages=batch.pages, links=batch.links))
    found["upgraded"] = recorded(old)
    manual = reference(TARGET.read_text(encoding="utf-8"))
    found["manual"] = [line for line in manual.splitlines() if "`n_lines`" in line or "`length`" in line[:12]]
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
