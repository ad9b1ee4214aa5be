"""Keeping a collection fresh: which objects pages state, where they are found, and what is asked for again."""
