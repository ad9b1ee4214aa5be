"""Webs that change in virtual time, and how fresh visits keep a collection on them.

``changing_web`` is such a web, and the transport that shows it; ``archived_web`` makes one of an archive with several
versions of its pages, ``conferences`` of recorded listings, ``simulated`` of known rates. ``trial`` has the engine of a
live crawl visit it, run after run, and measures what it held meanwhile; ``table`` compares policies by that.
"""
