"""Shared databases: seeds come from them, and a crawl's records are brought to them, for other programs to read.

``tables`` declares what is in one, ``connect`` opens what a URL names, and ``server``, which alone knows SQLAlchemy,
puts and finds rows. ``resources`` are the seeds. ``publication`` brings the changes of a folder (``folder_changes``)
into a database, up to its high-water mark; ``follow`` is the process that does so beside a crawl, ``following`` the
crawl's side of it.
"""
