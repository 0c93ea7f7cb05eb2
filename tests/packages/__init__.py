"""Tests of what a distribution's packages bring: real shells, dpkg, rpm."""
