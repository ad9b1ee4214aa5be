"""Strategies compared on the topics of a corpus: ``plan`` says what is run, ``comparison`` runs it, others tabulate it.

::

    plan ─► comparison ─ each_topic ─ topic_runs ─► run_results ─┬─► summary_table   a row a strategy
                                                                 ├─► topic_table     a row a topic and strategy
                                          bootstrap: intervals ──┴─► mean_curves
"""
