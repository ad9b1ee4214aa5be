"""The records of a crawl that several engines share, gathered into one: for everybody who reads.

Each shard keeps records of its own, in its own numbers; in them, URLs of others are candidates that are *elsewhere*.
:func:`gather` makes of them the records of one ordinary crawl, in the folder that the shards are in. Guarantees:

* one row a URL: that of the shard whose it is, with the page of another shard on which it was found. A URL whose letter
  nobody has taken up yet waits; one that its owner was told of and did not want is refused;
* a URL, a page and a site keep their numbers when the crawl is gathered again;
* what readers did stays: verdicts that were given again, seeds that were put in, the crawl's name;
* each shard is read as of one moment, also while it crawls; nothing is written to it, and WARC files stay there;
* the records change as a whole: a kill at any instant leaves the old ones;
* nothing is done where no shard has changed since.

Not gathered is what means something to one engine alone: what its strategy knows of each URL, and the forecast of what
its next pages bring. Learned statistics are sums, which are added where they are asked for (``dowse stats``).
"""

from __future__ import annotations

from dowse.store.gather.put_in import judged_by_other, seeds_put_in
from dowse.store.gather.refresh import GATHERING, gather

__all__ = ["GATHERING", "gather", "judged_by_other", "seeds_put_in"]
