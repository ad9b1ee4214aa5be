"""The lab: what finished crawls found, and what other strategies would have found on a recorded web.

::

    corpus/ ─► replay/ ─► measure/ ─► compare/ ─┬─► papers/   figures of the papers, as curves
    a recorded  a crawl    metrics     runs,     ├─► draw/     curves as pictures
    web, topics of it      of a run    tables    └─► report/   curves and tables as one HTML page

- ``corpus`` opens a folder of WARC files: pages, links, labels, topics and seeds.
- ``replay`` crawls it with the engine of a live crawl, a recorded transport and virtual time.
- ``measure`` says how good a run was, and what an oracle would have done.
- ``compare`` runs strategies on topics from sets of seeds, and makes tables of means with their intervals.
- ``judging`` measures verdicts: judges, told little or much, against the labels.
- ``papers`` makes the curves of published figures, on any corpus.
- ``draw`` lays charts out; they become SVG, PNG or PDF.
- ``report`` writes HTML pages, on a crawl and on a comparison.
- ``blocks`` shows a page in its content blocks.
- ``finished`` reads finished crawls again: texts of pages, names of what was learned, trials of the hostile web.

``html_markup`` and ``wording`` serve all of them: HTML that cannot be broken, and figures in words.

From a corpus to a table: ``compare(folder, Plan(("best-first",)), labels)`` gives the runs, ``summarise(runs)`` the
table, ``strategies_chart(mean_curves(runs, budget))`` its picture.
"""
