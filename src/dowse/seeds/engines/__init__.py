"""Search engines, one module each, by name. A package adds more with the entry points ``dowse.engines``.

An engine's constructor says what it wants to know: ``base``, ``key``, ``contact``, ``language`` and, of Dowse's own,
``open_folder`` and ``links_of``. A key without a default is needed.
"""

from __future__ import annotations

from typing import Any

from dowse.seeds.engines.arxiv import Arxiv
from dowse.seeds.engines.brave import Brave
from dowse.seeds.engines.common_crawl import CommonCrawl
from dowse.seeds.engines.crossref import Crossref
from dowse.seeds.engines.hacker_news import HackerNews
from dowse.seeds.engines.local_index import LocalIndex
from dowse.seeds.engines.marginalia import Marginalia
from dowse.seeds.engines.mediawiki import MediaWiki
from dowse.seeds.engines.open_search import OpenSearch
from dowse.seeds.engines.openalex import OpenAlex
from dowse.seeds.engines.searxng import SearXNG
from dowse.seeds.engines.url_list import UrlList
from dowse.seeds.engines.wayback import Wayback

__all__ = ["ENGINES", "GROUPS"]

ENGINES: dict[str, Any] = {
    "mediawiki": MediaWiki, "marginalia": Marginalia, "hackernews": HackerNews, "openalex": OpenAlex,
    "crossref": Crossref, "arxiv": Arxiv, "brave": Brave, "searxng": SearXNG, "opensearch": OpenSearch,
    "commoncrawl": CommonCrawl, "wayback": Wayback, "local": LocalIndex, "file": UrlList,
}  # fmt: skip
"""name -> what makes the engine"""

GROUPS = {"web": ("mediawiki", "marginalia", "hackernews"), "scholarly": ("openalex", "crossref", "arxiv")}
"""Names that stand for several engines, none of which needs a key. Those of ``web`` are asked when none is named."""
