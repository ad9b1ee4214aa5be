"""Worker processes: whatever a stranger's page decides the time of is done there, beside the engine.

::

    engine ─ process_pool ─► worker_connection ═ socket ═► worker   a page, its digest back; each within its time
    lab ──── calls ───────────────────────────── socket ═► worker   a function, what it returned back

``port`` is what the engine asks of workers, with those that need no process; ``job`` is what they are given and give
back. ``start`` begins a process, afresh or by a fork, and ends it; ``worker`` is all that it does. ``process_pool``
feeds the engine's workers from its event loop; ``calls`` serves callers that have no loop. ``wire`` says how a page
travels. ``freed_memory`` has the C library give back what large pages took. A worker ends when the process that started
it does, however that came about.
"""
