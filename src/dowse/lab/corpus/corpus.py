"""A corpus: a folder of WARC files with what is known about its pages, opened for the lab."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dowse.engine.workers.port import default_workers
from dowse.frontier.scope import StaticScope
from dowse.judge import TopicJudge, Vocabulary
from dowse.lab.corpus.cache import cache_root, corpus_digest, kept
from dowse.lab.corpus.digests import Digests
from dowse.lab.corpus.graph import build_graph, redirect_ends
from dowse.lab.corpus.index import INDEX_VERSION, Index, Progress, load_index, write_index
from dowse.lab.corpus.labels import Labels, read_labels
from dowse.lab.corpus.page_arrays import PAGES_VERSION, Pages, load_pages, write_pages
from dowse.lab.corpus.traces import Traces, read_traces
from dowse.lab.measure.link_graph import LinkGraph
from dowse.model.block_rule import BlockRule
from dowse.model.errors import UserError
from dowse.model.http import Response
from dowse.model.url import canonical, fingerprint
from dowse.store.sharded import parts_of

__all__ = ["Corpus", "open_corpus"]

_PUBLISHED = BlockRule()
_ENDINGS = (".warc.gz", ".warc")


class Corpus:
    """A recorded web. Pages go by their number, which is that of their row in the index."""

    def __init__(self, folder: Path, index: Index, pages: Pages, digest: str, kept: Path) -> None:
        self.folder = folder
        self.digest = digest  # of its WARC files
        self.kept = kept  # the folder for what is derived from it
        self.index = index
        self.pages = pages
        self._order = np.argsort(index.fingerprints)
        self._sorted = index.fingerprints[self._order]
        self._vocabularies: dict[str, Vocabulary] = {}

    def __len__(self) -> int:
        """How many URLs are recorded, pages or not."""
        return len(self.index)

    def number(self, url: str) -> int | None:
        """The number of a URL in any spelling; None when it is not recorded."""
        wanted = canonical(url)
        if wanted is None:
            return None
        print_ = np.uint64(fingerprint(wanted))
        place = int(np.searchsorted(self._sorted, print_))
        while place < len(self._sorted) and self._sorted[place] == print_:
            number = int(self._order[place])
            if self.index.urls[number] == wanted:
                return number
            place += 1
        return None

    def url(self, number: int) -> str:
        """The canonical URL of a number."""
        return self.index.urls[number]

    def response(self, number: int) -> Response:
        """The recorded response, its body decoded."""
        return self.index.response(number)

    def digests(
        self, judge: TopicJudge, scope: StaticScope, max_links: int, rule: BlockRule = _PUBLISHED
    ) -> Digests:  # fmt: skip
        """page number -> the digest that the live crawl's step makes of its response."""
        vocabulary = self.vocabulary(judge.nearness.terms.language)
        return Digests(self.index, self.pages, vocabulary, judge, scope, max_links, rule)

    def vocabulary(self, language: str) -> Vocabulary:
        """The words of all pages, stemmed; kept for the next judge of that language."""
        if language not in self._vocabularies:
            self._vocabularies[language] = Vocabulary(language, self.pages.strings["words"], self.pages.word_hashes)
        return self._vocabularies[language]

    @cached_property
    def _links(self) -> tuple[LinkGraph, NDArray[np.int64]]:
        return build_graph(self.index, self.pages)

    @property
    def graph(self) -> LinkGraph:
        """The links between the pages."""
        return self._links[0]

    @property
    def leaving(self) -> NDArray[np.int64]:
        """How many distinct links of each page lead out of the corpus."""
        return self._links[1]

    @cached_property
    def ends(self) -> NDArray[np.int64]:
        """Where each recorded URL leads in the end, by redirects that are recorded: mostly to itself."""
        return redirect_ends(self.index)

    @cached_property
    def labels(self) -> Labels:
        """What ``labels.csv`` says of the pages; nothing when there is no such file."""
        return read_labels(self)

    @cached_property
    def traces(self) -> Traces:
        """The accesses in ``traces.csv`` or ``traces.csv.gz``; none when there is no such file."""
        return read_traces(self)


def open_corpus(folder: Path | str, *, jobs: int | None = None, progress: Progress | None = None) -> Corpus:
    """Open a corpus. What has to be worked out (an index, the parsed pages) is worked out the first time, by ``jobs``
    processes (else one a core), and kept. Raises UserError when the folder holds no corpus."""
    folder = Path(folder)
    files = _warc_files(folder)
    digest = corpus_digest(files)
    root = cache_root(folder)
    index_folder, index = kept(
        root, "index", INDEX_VERSION, digest,
        lambda target: write_index(folder, files, target, progress), lambda kept: (kept, load_index(folder, kept)),
    )  # fmt: skip
    if not len(index):
        raise UserError(f"{folder} holds no recorded response: its WARC files have none that can be read")
    pages = kept(
        root, "pages", PAGES_VERSION, digest,
        lambda target: write_pages(index, index_folder, target, jobs or default_workers(), progress), load_pages,
    )  # fmt: skip
    return Corpus(folder, index, pages, digest, root)


def _warc_files(folder: Path) -> list[Path]:
    try:
        found = [path for part in parts_of(folder) for path in sorted(part.iterdir()) if path.name.endswith(_ENDINGS)]
    except (FileNotFoundError, NotADirectoryError):
        raise UserError(f"{folder} is no folder: a corpus is a folder with WARC files") from None
    except OSError as error:
        raise UserError(f"cannot read {folder}: {error.strerror or error}") from error
    if not found:
        raise UserError(f"{folder} holds no WARC files (*.warc.gz or *.warc)")
    for path in found:
        if path.exists() and not path.is_file() and not path.is_dir():
            raise UserError(f"cannot read {path}: it is no file")  # a pipe would never end
    return found
