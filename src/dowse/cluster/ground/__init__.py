"""The common ground of a crawl that several engines share, over SQLite or PostgreSQL.

``create_ground`` makes one for a new crawl, ``open_ground`` takes up one that is there. What happens on it is told
where it is done: who takes part (``members``), letters (``mail``), the budget (``grants``), addresses (``addresses``),
what was learned (``sums``), slots that move (``moves``), and the end (``ending``). ``ground`` makes each call one
transaction of these; the two databases differ only in ``sqlite`` and ``postgres``.
"""

from dowse.cluster.ground.ground import Ground
from dowse.cluster.ground.opening import create_ground, open_ground
from dowse.cluster.ground.sqlite import IN_MEMORY

__all__ = ["IN_MEMORY", "Ground", "create_ground", "open_ground"]
