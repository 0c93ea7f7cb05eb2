"""Tests of htcq.emit."""
