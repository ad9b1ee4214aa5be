"""One way to write what pages write in many: days, places, prices, and the texts that are compared.

Each function takes what a stranger wrote, looks at a bounded part of it, and says None (or nothing) where it cannot
tell. What is read and what is not is told in ``docs/objects.md``.
"""
