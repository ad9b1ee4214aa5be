"""The made web of many sites: the same every time, and as its module says it is."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from urllib.parse import urlsplit

from bench.wide_web import plan_sites, write_wide_web

from dowse.frontier.scope import registered_domain
from dowse.lab.corpus import open_corpus


def test_it_is_a_corpus_of_so_many_hosts_and_always_the_same(tmp_path: Path) -> None:
    for name in ("one", "other"):
        write_wide_web(tmp_path / name, hosts=12, seed=3)
    files = [sorted((path.name, path.read_bytes()) for path in folder.iterdir()) for folder in tmp_path.iterdir()]
    assert files[0] == files[1]
    corpus = open_corpus(tmp_path / "one", jobs=1)
    assert len({registered_domain(urlsplit(corpus.url(page)).netloc) for page in range(len(corpus))}) == 12
    assert not corpus.leaving.any(), "every link leads to a page of it"


def test_pages_that_link_to_each_other_are_alike() -> None:
    sites = plan_sites(300, 1)
    topic_of = {page.url: page.topic for site in sites for page in site.articles}
    out = [
        (page.topic, topic_of[link.url])
        for site in sites
        for page in site.articles
        for link in page.in_text
        if link.url in topic_of and urlsplit(link.url).netloc != site.host
    ]
    assert 0.75 < sum(one == other for one, other in out) / len(out) < 0.85
    sizes = sorted(len(site.articles) for site in sites)
    assert sizes[len(sizes) // 2] in range(7, 10)
    assert sizes[-1] > 5 * sizes[len(sizes) // 2]
    named = Counter(urlsplit(link.url).netloc for site in sites for page in site.articles for link in page.in_text)
    assert named.most_common(1)[0][1] > 5 * sorted(named.values())[len(named) // 2]
