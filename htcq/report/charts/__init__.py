"""Drawings: inline SVG for pages, lines of characters for terminals."""
