"""Scrapy as in its tutorial: links by a CSS selector, followed with ``response.follow``."""

from __future__ import annotations

import scrapy
from scrapy.crawler import CrawlerProcess
from scrapy.http import HtmlResponse
from settings import HOST, SETTINGS, URL


class Spider(scrapy.Spider):
    name = "css"
    start_urls = [URL]
    allowed_domains = [HOST]

    def parse(self, response):
        if isinstance(response, HtmlResponse):
            for href in response.css("a::attr(href)"):
                try:
                    yield response.follow(href, callback=self.parse)
                except ValueError:  # mailto: and the like
                    continue


process = CrawlerProcess(SETTINGS)
process.crawl(Spider)
process.start()
