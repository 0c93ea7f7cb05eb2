"""Tests of several negotiation cycles."""
