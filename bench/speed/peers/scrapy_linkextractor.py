"""Scrapy as its documentation shows it first: a CrawlSpider with a rule that follows every link."""

from __future__ import annotations

from scrapy.crawler import CrawlerProcess
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule
from settings import HOST, SETTINGS, URL


class Spider(CrawlSpider):
    name = "linkextractor"
    start_urls = [URL]
    allowed_domains = [HOST]
    rules = (Rule(LinkExtractor(), follow=True),)


process = CrawlerProcess(SETTINGS)
process.crawl(Spider)
process.start()
