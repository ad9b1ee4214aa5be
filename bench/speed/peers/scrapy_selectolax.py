"""Scrapy for fetching and scheduling alone: links are found by selectolax, repetitions dropped before they cost."""

from __future__ import annotations

from urllib.parse import urldefrag, urljoin

import scrapy
from scrapy.crawler import CrawlerProcess
from scrapy.http import HtmlResponse
from selectolax.lexbor import LexborHTMLParser
from settings import HOST, SETTINGS, URL


class Spider(scrapy.Spider):
    name = "selectolax"
    start_urls = [URL]
    allowed_domains = [HOST]

    def parse(self, response):
        if isinstance(response, HtmlResponse):
            hrefs = {node.attributes["href"] for node in LexborHTMLParser(response.body).css("a[href]")}
            urls = {urldefrag(urljoin(response.url, href)).url for href in hrefs if href}
            for url in urls:
                if url.startswith("http"):
                    yield scrapy.Request(url, callback=self.parse)


process = CrawlerProcess(SETTINGS)
process.crawl(Spider)
process.start()
