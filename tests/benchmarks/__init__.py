"""Benchmarks: what the code costs, measured on demand."""
