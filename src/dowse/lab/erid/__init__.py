"""ERID on labelled pages: how near they are, which threshold suits, and how often it is right.

::

    labelled_scores   the ERID score of each labelled page, and whether it is on the topic
    calibration       the threshold that suits, and the paper's table of accepted and refused pages
"""
