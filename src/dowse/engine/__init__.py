"""The crawl: joins the rooms into one engine.

::

    seeds ─► frontier ─► fetch ─► parse ─► judge ─► predict ─► frontier
               ▲                                        │
               └─────────── learned statistics ◄────────┘        store records every step

``build`` puts the parts together, ``engine`` runs the loop, ``errands`` gets addresses and robots.txt, ``conclude``
ends each URL's life, ``intake`` takes up what was found, ``step`` is the pure work on one page, ``pool`` runs it in
processes, ``recorder`` writes everything down, ``watchdog`` looks after the loop, ``api`` is the door for Python.
"""
