"""Selective recrawl, measured: table 1 of its paper, and a plan used on a later day (METHODS, section 5)."""
