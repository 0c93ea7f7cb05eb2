"""Drawings: inline SVG for pages, lines of characters for terminals.

There is no charting library. uPlot 1.6.32 was tried for the stacked axis of the overview, with the
same numbers, in chromium: it looks the same. It paints on a canvas, so a page without JavaScript
has no picture, and a screen reader finds nothing in it; stacking and the words of the time axis
are left to its user; and script and style have 53 kB, where the script of the whole overview has 8.
"""
