"""Keeping a collection fresh: what is worth another visit, which objects pages state, and where they are found."""
