"""People's traces on a recorded web: its own access log, as far as a crawl may know it (:mod:`~.own_log`), and readers
that are simulated by stated rules where there is none (:mod:`~.readers`)."""
