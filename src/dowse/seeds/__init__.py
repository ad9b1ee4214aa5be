"""Where a crawl starts: lists of URLs and sitemaps, read into canonical URLs. Pure but for what is passed in."""

from __future__ import annotations

from dowse.seeds.expand import Expansion, expand
from dowse.seeds.files import Problem, SeedList, load_seeds, read_seeds
from dowse.seeds.sitemaps import Sitemap, read_sitemap

__all__ = ["Expansion", "Problem", "SeedList", "Sitemap", "expand", "load_seeds", "read_seeds", "read_sitemap"]
