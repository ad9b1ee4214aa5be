"""Hostile input for every parser of Dowse that reads what strangers send: ``make fuzz``, or ``python -m fuzz --help``.

Each target takes bytes, made from its seeds (``fuzz/seeds``) by changes that a seed number decides. It must take them
in bounded time and memory, raise nothing but what it declares, and keep what it promises: both ways to do a thing give
the same, what is canonical stays so. ``targets`` has the targets, ``mutate`` the changes, ``child`` runs one target in
a process of its own, ``sanitized`` builds the compiled core so that a read beyond its memory ends it.
"""
