"""What people's traces say of a page before it is fetched (METHODS, section 4, collaborative; Aggarwal, sections 3.1
and 4; Collaborative Crawling, KDD 2002).

Three kinds of evidence, each in the form that was published and in a robust one: who went there (:mod:`~.affinity`),
what else they went to is about (:mod:`~.signature`), and whether that was near pages that satisfy (:mod:`~.locality`).
:mod:`~.evidence` joins them. A judged page costs what its own people and their neighbourhoods cost, however large the
traces are. :mod:`~.people` (with :mod:`~.marks`) has what they say of each candidate of a crawl; the strategies are
:mod:`~.strategy`, :mod:`~.combined` and :mod:`~.learner`.

It promises: no page is known but by its number in the traces, no person but by a keyed hash; the same calls give the
same answers; nothing is written.
"""

from dowse.predict.traces.combined import KIND_OF_BOTH
from dowse.predict.traces.evidence import NAMES, Evidence, composite
from dowse.predict.traces.marks import KIND_OF_PEOPLE
from dowse.predict.traces.reach import Reach

__all__ = ["KIND_OF_BOTH", "KIND_OF_PEOPLE", "NAMES", "Evidence", "Reach", "composite"]
