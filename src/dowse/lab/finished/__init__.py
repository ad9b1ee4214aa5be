"""Finished crawls read again: texts of pages, what hashes stand for, and how trials of the hostile web ended."""
