"""Worker processes: whatever a stranger's page decides the time of is done there, beside the engine.

::

    engine ─ pool ─► connection ═ socket ═► worker      a page, its digest back; each within its time
    lab ──── calls ────────────── socket ═► worker      a function, what it returned back

``start`` begins a process, afresh or by a fork, and ends it; ``worker`` is all that it does. ``pool`` feeds the
engine's from its event loop; ``calls`` serves who has none. ``port`` is what the engine asks of workers, with those
that need no process. ``freed_memory`` has the C library give back what large pages took. How a page travels is told in
``engine/workers/wire.py``. A worker ends when whoever started it does, however that came.
"""
