"""What a page states of the things it is about: schema.org in JSON-LD, microdata and RDFa Lite, OpenGraph; and what a
wrapper of the user's own finds on it.

::

    page ─┬─ json_ld    ─┐
          ├─ annotated  ─┼─► Item (types, properties, as written) ─ flatten ─► FoundObject (fields, normalised)
          ├─ opengraph  ─┘
          └─ wrapper ─────────────────────────────────────────────────────────► FoundObject

Nothing here is on the way of every page: it is run where somebody asks. A stranger wrote what it reads, so all of it is
bounded (:mod:`~dowse.parse.objects.items`), takes time by the size of the page, and raises nothing.
"""
