"""The frontier: which URL is fetched next, and when its host may be asked.

What a URL goes through is told in ``engine/life``, the only room that changes anything here. The frontier's part in it:
``scope`` and ``traps`` say which URLs are taken up; a URL that was has its fingerprint in the seen set for good, so it
is taken up once. It waits in the queue of its site, with a priority that may change at any time, until
:meth:`Frontier.next` leases it, and it waits again only when :meth:`Frontier.retry` says so, or when a crash lost the
lease.

A site is an origin (scheme, host, port). Before its first page it needs two errands, each leased like a page: its
*address* (so that sites on one address share that address's delay) and its *robots.txt*. After that it is *open*.
A site is asked by at most ``connections_per_site`` exchanges at a time, and never sooner than its delay after the first
byte of its last answer; while the delay of an address runs, all sites on it wait. A site can be *closed* for good,
which refuses what still waits there. A site can also *stand back* for a while, because it is slow: then it is asked
only when no other site can be.

A crawl can also go site by site (:meth:`~dowse.frontier.frontier.Frontier.go_by_site`): then only URLs of the current
web sites are leased, and what follows holds among these. See ``site_line``.

Guarantees: the best URL of all sites that may be asked goes next (ties in order of discovery; sites that stand back
come last); nothing is queued behind a slow or waiting site; a site whose time has come is always offered, so that none
is forgotten; cost per operation is logarithmic in the number of sites, whatever the number of waiting URLs (see
``queues``).
"""

from dowse.frontier.site import Errand, Lease, Site

__all__ = ["Errand", "Lease", "Site"]
