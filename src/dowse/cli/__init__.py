"""The command line: ``dowse X`` is ``X.py`` (``demo-web`` is in ``demo.py``), and ``main`` lists the commands. It reads
arguments, calls and prints; nothing is decided here.

``flags`` declares every flag that changes a topic. ``terminal`` prints and takes signals; ``display`` and ``live`` show
a running crawl, ``crawl_summary`` a finished one.
"""
