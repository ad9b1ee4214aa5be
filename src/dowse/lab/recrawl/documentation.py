"""A recorded web of documentation, as a full crawl of it: its links, and the definitions that its pages state.

Pages that Sphinx made define functions, classes and options by their whole names: ``<dt id="json.JSONDecoder">``.
They state nothing else that one would collect, so a wrapper reads these. Only names with a dot count, since others
(``id7``, ``install``) are one thing here and another there.
"""

from __future__ import annotations

from dowse.lab.corpus.corpus import Corpus
from dowse.lab.corpus.topics import roots
from dowse.lab.recrawl.walk import Walked
from dowse.parse.objects.wrapped import read_wrapped
from dowse.parse.objects.wrapper import Rule, Wrapper
from dowse.recrawl.crawled import CrawledPage

__all__ = ["DEFINITIONS", "recorded"]

DEFINITIONS = Wrapper(
    "sphinx", "APIReference", {"name": Rule(attribute="id", regex=r"^[A-Za-z_]\w*(?:\.\w+)+$")},
    items=Rule(css="dl[class] > dt[id]"), required=("name",),
)  # fmt: skip


def recorded(corpus: Corpus, wrapper: Wrapper = DEFINITIONS) -> Walked:
    """All that links lead to from the corpus' entry pages, with what the wrapper finds there."""
    walk = Walked()
    entries = frozenset(roots(corpus))
    queue = sorted(entries)
    seen = set(queue)
    for number in queue:  # grows
        links = dict.fromkeys(corpus.graph.links_of(number).tolist())
        response, url = corpus.response(number), corpus.url(number)
        targets = tuple(map(corpus.url, links))
        walk.pages.append(CrawledPage(url, len(response.body), targets, is_entry=number in entries))
        walk.found.extend(read_wrapped(wrapper, response.body, response.header("Content-Type") or "", url))
        queue += [link for link in links if link not in seen]
        seen.update(links)
    return walk
