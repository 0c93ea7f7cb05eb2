"""Explains how the quota of one group was computed, step by step."""
