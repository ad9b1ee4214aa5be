"""A made web of event listings that changes from day to day: what a recrawl is measured on, as the truth is known.

Several hundred sites state the same events, in part, in their own words: portals for a country, guides to a city,
portals for a kind of event, venues, and magazines that mention a few. They differ in how their addresses look, how
they list, page and archive, what they link to besides, in which language, how (and whether) they mark events up, and
how carefully they copy. Nothing of that was chosen to suit URL patterns: numbers and words share a place, pages of
other things look like events, some sites show each page twice, and now and then one is built anew.

::

    truth    the events, and which are announced on a day
    traits   what kind of site each is
    site     the pages of a site on a day: links, what they state
    html     a page written out
    web      all of it, as something to serve or to walk through
"""
