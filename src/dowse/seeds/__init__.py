"""Where a crawl starts: lists of URLs and sitemaps, read into canonical URLs. Pure but for the fetch passed in."""

from __future__ import annotations

from dowse.seeds.files import Problem, SeedList, load_seeds, read_seeds
from dowse.seeds.sitemaps import Expansion, Sitemap, SitemapEntry, expand, read_sitemap

__all__ = [
    "Expansion", "Problem", "SeedList", "Sitemap", "SitemapEntry", "expand", "load_seeds", "read_seeds", "read_sitemap",
]  # fmt: skip
