"""The life of a URL: every change in it is one verb of one object, :class:`Life`.

::

    unknown ── admit ──► waiting ── lease ──► leased ── begin ──► asked for ── end ──► fetched, failed, refused
                            ▲                   │                     │
                            ├──── put_back ─────┤                     │      redirected: fetched, and its target
                            │                   └── refuse ──► refused│      is admitted in its place
                            └──── wait ◄──────────────────────────────┘

* **unknown**: no page, redirect, sitemap or seed has named it, or a rule of scope or traps refused it. Its refusal is
  counted, and it may be admitted later from elsewhere.
* **waiting**: :meth:`Life.admit_seeds`, :meth:`~Life.admit_links` or :meth:`~Life.admit_redirect` took it up. It stands
  in its site's queue with a priority: the strategy's value, or value for cost. :attr:`Life.worth` changes it.
* **leased**: :meth:`Life.lease` chose it, since it is the best whose site may be asked now. Nobody was asked yet:
  :meth:`~Life.reconsider` and :meth:`~Life.put_back` return it without a trace, :meth:`~Life.refuse` ends it.
* **asked for**: :meth:`Life.begin` wrote down why, and counted the attempt, before the request leaves. After a crash it
  waits again, and the attempt does not count.
* **below**: what was found has a lower priority than the user's lowest. It is known, and counts as refused; once a page
  speaks better of it (:meth:`.Worth.mentioned`), it waits.
* **fetched, failed, refused**: :meth:`Life.end`, with the row of its page. It never waits again in its run. A run of
  visits begins with pages that were fetched before: see :mod:`dowse.engine.life.visits`.

What holds at every moment:

* frontier, journal, tally, price and forecast agree: a verb changes all of them or none (but a URL that ends unasked,
  with its site, is in no tally);
* a URL is taken up once, leased by one at a time, and ended once a run;
* what a verb changed is in the next commit, in one transaction with everything else since the last;
* where the strategy goes site by site, only URLs of current sites are leased, and of a processed one only seeds are
  admitted (see ``frontier/site_line``);
* nobody outside this folder holds the frontier (import-linter checks it).

A site has a life of its own, beside that of its URLs: see :mod:`dowse.engine.life.sites`.

``life`` has the verbs for URLs, ``visits`` those for pages visited again, ``sites`` those for sites; ``admission`` is
the way of a found URL through scope, traps and strategy; ``pricing`` makes a priority of a value, and ``worth`` keeps
it up to date while a URL waits; ``restoring`` takes up what an earlier run left; ``journal`` writes down what happens,
``tally`` counts it, ``forecasts`` looks ahead.
"""

from dowse.engine.life.journal import Journal
from dowse.engine.life.life import Life
from dowse.engine.life.sites import Sites
from dowse.engine.life.visits import Due

__all__ = ["Due", "Journal", "Life", "Sites"]
