"""How good a crawl was: its requests (``run``), metrics of them, oracles to hold it against, and the graph of links."""
