"""Keeping a collection fresh: what objects there are, which URL patterns state them, and which pages to fetch again."""
