"""Figures of the papers, made anew on any corpus: ``paper_figures`` lists them, each of the others makes some."""
