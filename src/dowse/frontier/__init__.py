"""The frontier: which URL is fetched next, and when its host may be asked.

The life of a URL
-----------------
*unknown* -> *waiting* -> *leased* -> *done* (fetched, failed, refused; a crawl that ends leaves the rest *left*).

* A URL is **unknown** until a page, a redirect or a seed mentions it and the scope and trap rules admit it. Then
  its fingerprint is in the seen set for good, so that it is taken up once.
* It is **waiting** in the queue of its site, with a priority that may change at any time.
* :meth:`Frontier.next` **leases** it: the best URL among the sites that may be asked now. A URL is leased once;
  it waits again only when :meth:`Frontier.retry` says so or when a crash lost the lease.
* :meth:`Frontier.finish` makes it **done**. A done URL never waits again.

The life of a site
------------------
A site is an origin (scheme, host, port). Before its first page it needs two errands, each leased like a page: its
*address* (so that sites on one address share that address's delay) and its *robots.txt*. After that it is *open*.
A site is asked by at most ``connections_per_site`` exchanges at a time, and never sooner than its delay after the first
byte of its last answer; while the delay of an address runs, all sites on it wait. A site can be *closed* for good,
which refuses what still waits there. A site can also *stand back* for a while, because it is slow: then it is asked
only when no other site can be.

Guarantees: the best URL of all sites that may be asked goes next (ties in order of discovery; sites that stand back
come last); nothing is queued behind a slow or waiting site; a site whose time has come is always offered, so that none
is forgotten; cost per operation is logarithmic in the number of sites, whatever the number of waiting URLs (see
``queues``).
"""

from dowse.frontier.site import Errand, Lease, Site

__all__ = ["Errand", "Lease", "Site"]
