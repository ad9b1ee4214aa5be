"""Recorded webs for the lab: any folder of WARC files, read once, then asked without parsing.

::

    WARC files ─ warc_records ─► recorded_exchange ─ index ─► rows, one a URL ─ parsing ─► page_arrays, in memory maps
                                                                                           ├─ digests, for a topic
                                                                                           ├─ graph
                                                                           labels, traces ─┴─ topics, with seeds

:func:`open_corpus` is the front door. What it works out is kept (``cache``) and found again as long as the WARC files
are the same.
"""

from __future__ import annotations

from dowse.lab.corpus.corpus import Corpus, open_corpus
from dowse.lab.corpus.digests import Digests
from dowse.lab.corpus.index import Index, Progress
from dowse.lab.corpus.info import CorpusInfo, describe
from dowse.lab.corpus.labels import Labels
from dowse.lab.corpus.page_arrays import Pages
from dowse.lab.corpus.topics import LabTopic, SeedSet, Unfit, example_texts, make_seeds, make_topic, make_topics
from dowse.lab.corpus.traces import Traces
from dowse.lab.measure.link_graph import UNREACHED, LinkGraph

__all__ = [
    "UNREACHED", "Corpus", "CorpusInfo", "Digests", "Index", "LabTopic", "Labels", "LinkGraph", "Pages", "Progress",
    "SeedSet", "Traces", "Unfit", "describe", "example_texts", "make_seeds", "make_topic", "make_topics", "open_corpus",
]  # fmt: skip
