"""One crawl on several engines: shards, each an ordinary engine with its own folder, and the common ground they share.

Each URL has one owner, told by its registered domain (or host) alone. Links to another shard's sites leave as letters,
statistics are published as sums, and what each may spend is granted by what its best waiting URLs promise.
"""
