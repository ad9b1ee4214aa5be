"""Every table and picture of measurements in the docs, made anew by one command: ``python -m bench.figures --help``.

::

    declared/ ─► measure ─► results/NAME.json ─► pages
    what is      runs the   what came, with      writes it into the marked
    measured     commands   commit and machine   regions of docs/*.md

A **measurement** is one command, as a user would type it, and what is kept of the JSON that it writes. A **figure** is
a region of a page, made of one or more measurements:

    <!-- figure: NAME -->
    table, commands, date, commit, machine
    <!-- end of figure -->

What stands between the marks is never written by hand: a test compares it with what the stored results give. Results
are kept in git, so that pages can be written anew without measuring. A result holds for one command
and the source that this can reach: where both are as they were, it is not measured again.
"""
