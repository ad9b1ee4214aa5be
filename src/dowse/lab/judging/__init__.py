"""How good verdicts are: judges, told little or much, against the labels of a corpus.

::

    contestants ─┬─► trials ─ metrics ─┬─► verdict_table                     a row a judge and what it was told
    backgrounds ─┘                     └─► reliability ─► reliability_chart  is it right as often as it says?

A judge takes part as a ``Contestant`` (``port``): given a query, a few pages on and off the topic and the pages that a
crawl fetched, it says of every page of the corpus how likely it is on the topic. ``contestants`` has the list of them;
``page_terms`` has the terms of all pages at once.
"""
