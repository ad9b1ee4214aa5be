from __future__ import annotations

from pathlib import Path

import pytest

from dowse.lab.corpus import Corpus, open_corpus
from tests.lab.corpus.made import demo_pages, odd_pages, write_warc


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Odd pages and some of the demo's, in two files."""
    folder = tmp_path_factory.mktemp("corpus")
    write_warc(folder / "a.warc.gz", odd_pages())
    write_warc(folder / "b.warc", demo_pages(150), compress=False)
    return folder


@pytest.fixture(scope="session")
def corpus(folder: Path) -> Corpus:
    return open_corpus(folder, jobs=1)
