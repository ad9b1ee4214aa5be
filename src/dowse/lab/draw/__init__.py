"""Pictures: a chart is laid out once, as values, and shown in a page or written to a file.

::

    harvest_chart ──┐                     ┌─ svg ────► in a report (light or dark), or an .svg file
    strategies_chart┼─ marks of a drawing ┤
    (lab/blocks) ───┘   axes, text_fit    └─ raster ─► .png and .pdf, by matplotlib

``picture_file`` chooses by the ending of a name. Only ``raster`` needs matplotlib, the extra ``plots``.
"""
