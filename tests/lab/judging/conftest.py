from __future__ import annotations

from pathlib import Path

import pytest

from dowse.lab.corpus import Corpus, open_corpus
from tests.lab.compare.webs import write_labelled
from tests.lab.corpus.made import Page, write_warc


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Solar cells and bread; and two addresses that bring no words, or no page."""
    folder = write_labelled(tmp_path_factory.mktemp("web"))
    others = [
        Page("http://w.test/empty.html", b"<p></p>"),
        Page("http://w.test/gone.html", b"solar", status="404 Gone"),
    ]
    write_warc(folder / "others.warc.gz", others)
    return folder


@pytest.fixture(scope="session")
def corpus(folder: Path) -> Corpus:
    return open_corpus(folder, jobs=1)
