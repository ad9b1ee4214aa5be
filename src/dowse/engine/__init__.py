"""The engine: joins the rooms into a crawl. Its folders tell the way of a page; each imports only those below it.

::

    assembly   what a crawl is made of
      assemble   a live crawl: chooses transport, workers, judge, strategy and store
      assembly   the crawl that is made so, from its start to its end
      join       the parts that a live crawl and a replay share
      prepare    seeds, example pages, and what was given as an object
      find, search_engines, shared, starting_seeds   seeds that are asked for
      kept_settings   what a crawl was started with
      kept_categories, learned   copies in the crawl's folder, so that a resume depends on nothing else
      api        ``dowse.crawl``, the door for Python
    loop       what happens when
      engine     the loop itself, and why it stops
      dispatch   which URL goes next, and whether it may go
      fetcher    from a lease to its page: a cache, a HEAD, a GET
      tasks      what runs beside the loop; ``watchdog`` tells when the loop is held; ``progress`` what a user sees
    page       what becomes of an answer
      disposition  retry, give up, refuse, redirect, or take up the page
      pages      a page's verdict, record and links
      step       the pure work on one page, in two halves: ``parsed`` and ``judged``
      cached, heads  pages that need not be downloaded, and how large the others are
    exchange   what is asked of the web
      exchange   the one exchange, and the one rule for redirects
      lookups    addresses of sites; ``site_rules`` their robots.txt; ``sitemap_walk`` seeds from sitemaps
      documents  files and pages that the user names
    life       the life of URLs and sites; its docstring has the states
      life, sites  the verbs; ``admission``, ``pricing``, ``journal``, ``tally``, ``forecasts`` are their parts
    workers    processes that parse and judge
      port       what the engine asks of them; ``process_pool`` many, ``calls`` for plain functions
      worker     the process; ``start``, ``worker_connection``, ``wire`` and ``job`` lead there and back
      freed_memory  what becomes of memory that was freed
"""
