"""Tests of the distribution and of the house rules."""
