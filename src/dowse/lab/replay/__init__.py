"""Crawls of a recorded web: the engine of a live crawl, with a recorded transport and a clock that never waits."""
