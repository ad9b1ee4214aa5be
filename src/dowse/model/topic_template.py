"""What ``dowse init`` writes: a topic file with every key, the optional ones commented out at their defaults."""

from __future__ import annotations

__all__ = ["TEMPLATE"]

TEMPLATE = """\
# A topic for Dowse. Fill in the query and the seeds, then run:  dowse crawl topic.toml
# Lines that begin with "# " and a key show the default (or, where there is none, an example).

name = "my-topic"
query = ""                           # what you are looking for, in a sentence or a few words
# keywords = { "solar cell" = 3.0, perovskite = 2.0 }   # words and phrases with weights; or a list (no default)
# predicate = 'word("solar") and not url.host("*.example.com")'   # what a page must satisfy (no default)
# categories = {}                    # trained ones that the predicate names: { sports = "sports.json" }
# out = "my-topic-crawl"             # folder for the results (no default: named after the topic)
# workers = 2                        # processes that parse; 0: none but the crawler (no default: one per core)
# seed_number = 0                    # the same number repeats the random choices

[seeds]
urls = []                            # where to start: ["https://example.org/", ...]
# files = []                         # lists with one URL per line, or tables with a column named url
# sitemaps = []                      # sitemap URLs or files
# robots_sitemaps = false            # also the sitemaps that the seed hosts name in robots.txt
# on_topic = true                    # seeds with the query's words are weak examples, if there are no others
# from = "postgresql://me@localhost/webs"   # start from the seeds in this shared database (no default)
# collection = ""                    # which of them; empty: those of the topic's name

[find]                               # seeds from search engines: asked when named here, or when there are no seeds
# engines = []                       # ["mediawiki", "searxng:https://search.example.org"]; none: those without a key
# queries = []                       # ['"solar cell" OR perovskite -lamp', ...]; none: the words of the topic
# wanted = false                     # ask engines although there are seeds
# seeds = 50                         # take this many of what they find
# per_query = 50                     # results wanted from one engine for one query
# requests = 60                      # to all engines together

[examples]                           # pages you know, as files, globs ("good/*.html") or URLs
# positive = []                      # on the topic
# negative = []                      # off the topic

[scope]                              # which URLs may be fetched
# reach = "any"                      # from the seeds: their "host", their "domain", or "any"
# hosts = []                         # these hosts too ("*.example.org"); with reach "any": only these
# domains = []                       # these domains too, with everything below them
# exclude_hosts = []
# include = []                       # only these paths ("/papers/*"); * is anything
# exclude = []                       # never these ("*action=edit*")
# allow_ports = []                   # ports that browsers refuse (22, 25, 6667, ...): fetch from these
# max_depth = 5                      # links from a seed (no default: no limit)
# documents = true                   # also read PDF, feeds, Markdown, office files and EPUB
# content_types = ["text/html", "application/pdf"]   # exactly these types (no default: pages, and documents)
# languages = []                     # follow links only on pages in these ("en", "de")

[scope.traps]                        # when to leave a site that has no end; 0 switches a rule off
# max_url_length = 2000
# max_per_host = 50000               # URLs taken from one host
# max_hosts_per_domain = 2000        # hosts taken from one registered domain
# max_repeated_segments = 3          # /a/b/a/b/a/b
# max_per_pattern = 5000             # URLs per host that differ only in numbers or parameter values
# max_pattern_run = 32               # links in a row within one pattern without a relevant page
# session_ids = true                 # refuse paths that carry a session id

[judge]                              # what counts as on the topic
# method = "learned"                 # from the examples and the crawl; "similarity": cosine; "erid": weighted keywords
# threshold = 0.2                    # of similarity or erid, 0 to 1; without a method: of similarity (no default)
# precision = 0.9                    # of learned: so many of the pages it calls relevant shall be (no default)
# language = "english"               # stemming and stop words; "none" for neither
# weighting = "log"                  # or "tf"; "log-idf" and "tf-idf" learn which words are rare
# form = "robust"                    # what a site repeats counts less; "paper": every word counts alike

[strategy]                           # the order of the crawl; further keys are the strategy's own
# name = "learning"
# maximise = "value"                 # or "efficiency": value per second
# min_priority = 0.05                # links of a lower priority are not taken up (no default)
# traces = ""                        # a folder that dowse traces import made: go by what people read, too
# learn_from = []                    # folders of crawls with the strategy learning: start with what they learned

[cost]                               # what a page is expected to cost, where efficiency is maximised
# form = "robust"                    # latency + size / speed + the host's delay; or "paper": size / speed
# min = "0.05s"                      # no page costs less
# max = "60s"                        # or more
# head = false                       # send a HEAD before each GET: one more request, for size and type

[budget]                             # hard limits: the crawl stops at the first one it reaches
# pages = 2000                       # (no default)
# bytes = "500MB"                    # (no default)
# time = "30m"                       # s, m, h or d (no default)
# requests = 3000                    # (no default)

[target]
# relevant = 500                     # stop after this many relevant pages (no default: go on)
# value = 100.0                      # stop when the scores of all pages add up to this (no default: go on)

[politeness]
# delay = "1s"                       # between two requests to one host
# max_delay = "60s"                  # a host that asks for more gets this
# connections_per_host = 1
# obey_robots = true

[limits]                             # on one request and one page
# max_wire_bytes = "10MB"
# max_body_bytes = "20MB"            # after decompression
# timeout = "30s"
# connect_timeout = "10s"
# max_redirects = 10
# max_retries = 2
# retry_wait = "5s"                  # before the first retry; doubles each time
# page_time = "10s"                  # for parsing and judging a page
# max_links = 5000                   # taken from one page

[network]
# concurrency = 64
# contact = "you@example.org"        # in the User-Agent, so that site owners can reach you (no default)
# user_agent = "my-crawler/1.0"      # instead of the whole User-Agent (no default)
# proxy = "http://proxy.example:3128"   # (no default)
# allow_private = false              # private and loopback addresses
# allow_addresses = []               # only these of them: ["127.0.0.1", "10.0.0.0/8"]
# verify_tls = true
# resolve = {}                       # { "*.example.org" = "127.0.0.1:8080" }
# headers = {}                       # to these hosts only: { "example.org" = { X-Key = "..." } }; never recorded
# cookies = {}                       # to these hosts only: { "example.org" = "name=value" }; never recorded

[cache]                              # take pages from earlier crawls instead of downloading them
# folders = []                       # folders of earlier crawls
# max_age = "7d"                     # how old such a page may be; 0: never use it

[publish]                            # for other programs, while the crawl runs
# to = "postgresql://me@localhost/webs"   # a shared database (no default)
"""
